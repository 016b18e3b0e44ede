//! Leases of work that one node does for all.

use std::time::Duration;

use banyan_db::{Database, Leases, Login};
use banyan_testkit::platform_database;
use futures_util::future::join_all;
use tokio::time::sleep;

const SHORT: Duration = Duration::from_millis(400);
/// Longer than a test.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// As many nodes as are asked for.
fn nodes(database: &Database, count: usize) -> Vec<Leases> {
    (0..count).map(|_| Leases::new(database.clone())).collect()
}

async fn claimed(nodes: &[Leases], work: &str, every: Duration) -> usize {
    let all = join_all(nodes.iter().map(async |node| node.claim(work, every).await.expect("asked"))).await;
    all.into_iter().flatten().count()
}

async fn wait_released(nodes: &[Leases]) {
    join_all(nodes.iter().map(Leases::wait_released)).await;
}

#[tokio::test]
async fn one_of_several_nodes_claims_a_lease_once_in_an_interval() {
    let database = platform_database().await;
    let nodes = nodes(&database, 6);
    for interval in 0..3 {
        assert_eq!(claimed(&nodes, "sweep", SHORT).await, 1, "in interval {interval}");
        assert_eq!(claimed(&nodes, "sweep", SHORT).await, 0, "again in interval {interval}");
        sleep(SHORT).await;
    }
    assert_eq!(claimed(&nodes, "another", SHORT).await, 1, "other work has a lease of its own");
    wait_released(&nodes).await;
}

#[tokio::test]
async fn a_lease_that_is_held_is_not_claimed_by_another_and_is_free_once_released() {
    let database = platform_database().await;
    let nodes = nodes(&database, 2);
    let lease = nodes[0].claim("sweep", SHORT).await.expect("asked").expect("the first");
    sleep(2 * SHORT).await;
    assert_eq!(claimed(&nodes, "sweep", SHORT).await, 0, "it is held");
    drop(lease);
    nodes[0].wait_released().await;
    assert_eq!(claimed(&nodes[1..], "sweep", SHORT).await, 1);
    wait_released(&nodes).await;
}

#[tokio::test]
async fn work_holds_no_connection() {
    let database = platform_database().await;
    let node = Leases::new((*database).clone());
    let works: Vec<String> = (0..40).map(|n| format!("work {n}")).collect();
    let leases = join_all(works.iter().map(|work| node.claim(work, SHORT))).await;
    assert!(leases.iter().all(|lease| lease.as_ref().is_ok_and(Option::is_some)));
    // Connections come back to their pool a moment after they were used.
    sleep(SHORT).await;
    let pool = database.pool(Login::Admin);
    assert_eq!(pool.size() as usize, pool.num_idle(), "every connection is free for others");
    drop(leases);
    node.wait_released().await;
}

#[tokio::test]
async fn the_lease_of_a_node_that_died_is_free_when_it_has_run_out() {
    let database = platform_database().await;
    let nodes = nodes(&database, 2);
    let run = async |sql: &'static str| {
        sqlx::query(sql).execute(database.pool(Login::Admin)).await.expect("runs").rows_affected()
    };
    // A node that dies never drops what it holds.
    std::mem::forget(nodes[0].claim("sweep", SHORT).await.expect("asked").expect("the first"));
    sleep(2 * SHORT).await;
    assert_eq!(claimed(&nodes, "sweep", SHORT).await, 0);
    assert_eq!(run("update _banyan.turns set held_until = clock_timestamp()").await, 1);
    assert_eq!(claimed(&nodes, "sweep", Duration::from_secs(60)).await, 0, "the interval is not over");
    assert_eq!(claimed(&nodes, "sweep", SHORT).await, 1);
    wait_released(&nodes[1..]).await;
}

#[tokio::test]
async fn a_lease_comes_a_whole_interval_after_the_last_one_whoever_asks_when() {
    let database = platform_database().await;
    let nodes = nodes(&database, 4);
    let hours_later = async |hours: i32| {
        let shifted = "update _banyan.turns set taken_at = taken_at - make_interval(hours => $1)";
        sqlx::query(shifted).bind(hours).execute(database.pool(Login::Admin)).await.expect("runs");
        wait_released(&nodes).await;
        claimed(&nodes, "mail", DAY).await
    };
    assert_eq!(hours_later(0).await, 1, "the very first");
    assert_eq!(hours_later(18).await, 0);
    assert_eq!(hours_later(5).await, 0);
    assert_eq!(hours_later(1).await, 1);
    wait_released(&nodes).await;
}

#[tokio::test]
async fn a_clock_that_went_back_stops_no_work() {
    let database = platform_database().await;
    let node = Leases::new((*database).clone());
    assert_eq!(claimed(std::slice::from_ref(&node), "sweep", SHORT).await, 1);
    let shift = async || {
        let shifted = "update _banyan.turns set taken_at = taken_at + interval '1 year',
            held_until = held_until + interval '1 year'";
        sqlx::query(shifted).execute(database.pool(Login::Admin)).await.expect("runs").rows_affected()
    };
    node.wait_released().await;
    shift().await;
    let held = node.claim("sweep", SHORT).await.expect("asked");
    assert!(held.is_some(), "one that was released");
    // A node that dies never drops what it holds.
    std::mem::forget(held);
    shift().await;
    assert_eq!(claimed(std::slice::from_ref(&node), "sweep", SHORT).await, 1, "one whose node died");
}

#[tokio::test]
async fn work_that_never_ends_has_one_node_and_another_one_after_its_release() {
    let database = platform_database().await;
    let nodes = nodes(&database, 2);
    let leader = nodes[0].claim("lead", Duration::ZERO).await.expect("asked").expect("the first");
    assert_eq!(claimed(&nodes, "lead", Duration::ZERO).await, 0, "it is held");
    drop(leader);
    nodes[0].wait_released().await;
    assert_eq!(claimed(&nodes[1..], "lead", Duration::ZERO).await, 1);
    wait_released(&nodes).await;
}

#[tokio::test]
async fn a_node_whose_lease_is_lost_is_told() {
    let database = platform_database().await;
    let node = Leases::new((*database).clone()).lasting(SHORT);
    let lease = node.claim("lead", DAY).await.expect("asked").expect("the first");
    let other = "update _banyan.turns set holder = gen_random_uuid()";
    sqlx::query(other).execute(database.pool(Login::Admin)).await.expect("runs");
    lease.lost().await;
}

#[tokio::test]
async fn a_node_that_cannot_extend_its_lease_in_time_has_lost_it() {
    let database = platform_database().await;
    let own = Database::connect(database.settings()).expect("valid settings");
    let node = Leases::new(own.clone()).lasting(SHORT);
    let lease = node.claim("lead", DAY).await.expect("asked").expect("the first");
    own.close().await;
    lease.lost().await;
}
