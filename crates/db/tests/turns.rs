//! Turns of work that one node does for all.

use std::time::Duration;

use banyan_db::{Database, Login, Turns};
use banyan_testkit::platform_database;
use futures_util::future::join_all;
use tokio::time::sleep;

const SHORT: Duration = Duration::from_millis(400);

/// As many nodes as are asked for.
fn nodes(database: &Database, count: usize) -> Vec<Turns> {
    (0..count).map(|_| Turns::new(database.clone())).collect()
}

async fn taken(nodes: &[Turns], work: &str, every: Duration) -> usize {
    let all = join_all(nodes.iter().map(async |node| node.take(work, every).await.expect("asked"))).await;
    all.into_iter().flatten().count()
}

async fn settle(nodes: &[Turns]) {
    join_all(nodes.iter().map(Turns::settle)).await;
}

#[tokio::test]
async fn one_of_several_nodes_takes_a_turn_once_in_an_interval() {
    let database = platform_database().await;
    let nodes = nodes(&database, 6);
    for interval in 0..3 {
        assert_eq!(taken(&nodes, "sweep", SHORT).await, 1, "in interval {interval}");
        assert_eq!(taken(&nodes, "sweep", SHORT).await, 0, "again in interval {interval}");
        sleep(SHORT).await;
    }
    assert_eq!(taken(&nodes, "another", SHORT).await, 1, "other work has its own turns");
    settle(&nodes).await;
}

#[tokio::test]
async fn a_turn_that_lasts_is_not_taken_by_another_and_is_free_once_it_is_given_back() {
    let database = platform_database().await;
    let nodes = nodes(&database, 2);
    let turn = nodes[0].take("sweep", SHORT).await.expect("asked").expect("the first");
    sleep(2 * SHORT).await;
    assert_eq!(taken(&nodes, "sweep", SHORT).await, 0, "it is held");
    drop(turn);
    nodes[0].settle().await;
    assert_eq!(taken(&nodes[1..], "sweep", SHORT).await, 1);
    settle(&nodes).await;
}

#[tokio::test]
async fn work_holds_no_connection() {
    let database = platform_database().await;
    let node = Turns::new((*database).clone());
    let works: Vec<String> = (0..40).map(|n| format!("work {n}")).collect();
    let turns = join_all(works.iter().map(|work| node.take(work, SHORT))).await;
    assert!(turns.iter().all(|turn| turn.as_ref().is_ok_and(Option::is_some)));
    // Connections come back to their pool a moment after they were used.
    sleep(SHORT).await;
    let pool = database.pool(Login::Admin);
    assert_eq!(pool.size() as usize, pool.num_idle(), "every connection is free for others");
    drop(turns);
    node.settle().await;
}

#[tokio::test]
async fn the_turn_of_a_node_that_died_is_free_when_its_hold_has_run_out() {
    let database = platform_database().await;
    let nodes = nodes(&database, 2);
    let run = async |sql: &'static str| {
        sqlx::query(sql).execute(database.pool(Login::Admin)).await.expect("runs").rows_affected()
    };
    // A node that dies never drops what it holds.
    std::mem::forget(nodes[0].take("sweep", SHORT).await.expect("asked").expect("the first"));
    sleep(2 * SHORT).await;
    assert_eq!(taken(&nodes, "sweep", SHORT).await, 0);
    assert_eq!(run("update _banyan.turns set held_until = clock_timestamp()").await, 1);
    assert_eq!(taken(&nodes, "sweep", Duration::from_secs(60)).await, 0, "the interval is not over");
    assert_eq!(taken(&nodes, "sweep", SHORT).await, 1);
    settle(&nodes[1..]).await;
}

#[tokio::test]
async fn a_turn_comes_a_whole_interval_after_the_last_one_whoever_asks_when() {
    let database = platform_database().await;
    let nodes = nodes(&database, 4);
    let day = Duration::from_secs(24 * 60 * 60);
    let hours_later = async |hours: i32| {
        let shifted = "update _banyan.turns set taken_at = taken_at - make_interval(hours => $1)";
        sqlx::query(shifted).bind(hours).execute(database.pool(Login::Admin)).await.expect("runs");
        settle(&nodes).await;
        taken(&nodes, "mail", day).await
    };
    assert_eq!(hours_later(0).await, 1, "the very first");
    assert_eq!(hours_later(18).await, 0);
    assert_eq!(hours_later(5).await, 0);
    assert_eq!(hours_later(1).await, 1);
    settle(&nodes).await;
}

#[tokio::test]
async fn a_clock_that_went_back_stops_no_work() {
    let database = platform_database().await;
    let node = Turns::new((*database).clone());
    assert_eq!(taken(std::slice::from_ref(&node), "sweep", SHORT).await, 1);
    let shift = async || {
        let shifted = "update _banyan.turns set taken_at = taken_at + interval '1 year',
            held_until = held_until + interval '1 year'";
        sqlx::query(shifted).execute(database.pool(Login::Admin)).await.expect("runs").rows_affected()
    };
    node.settle().await;
    shift().await;
    let held = node.take("sweep", SHORT).await.expect("asked");
    assert!(held.is_some(), "one that was given back");
    // A node that dies never drops what it holds.
    std::mem::forget(held);
    shift().await;
    assert_eq!(taken(std::slice::from_ref(&node), "sweep", SHORT).await, 1, "one whose node died");
}
