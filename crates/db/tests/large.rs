//! Large results, streamed while they arrive.

use std::time::Duration;

use banyan_db::{Body, Database, DatabaseSettings, Last, Login, Param, RunAs, RunError, Statement};
use banyan_identity::Caller;
use banyan_testkit::platform_database;
use futures_util::{StreamExt as _, TryStreamExt as _};

fn repeated(bytes: usize) -> Statement {
    let count = Param::text(bytes.to_string());
    Statement::new("select 7, null, repeat('x', $1::int)", vec![count])
}

async fn arriving(database: &Database, statement: &Statement) -> Body {
    let anonymous = Caller::anonymous();
    let run = RunAs { read_only: true, ..RunAs::new(&anonymous, statement) };
    let answer = database.answer_as(&run).await.expect("runs");
    assert_eq!(answer.columns, [Some("7".into()), None]);
    match answer.last {
        Last::Arriving(body) => body,
        Last::Whole(body) => panic!("{:?} bytes came at once", body.map(|it| it.len())),
    }
}

async fn one_connection() -> (banyan_testkit::TestDatabase, Database) {
    let database = platform_database().await;
    let settings =
        DatabaseSettings { pool_size: 1, max_result_bytes: 1 << 20, ..database.settings().clone() };
    let one = Database::connect(&settings).expect("valid settings");
    (database, one)
}

#[tokio::test]
async fn a_large_body_arrives_in_pieces_and_its_connection_is_used_again() {
    let (_database, one) = one_connection().await;
    for bytes in [65_600, 5 << 20, 70 << 20] {
        let mut body = arriving(&one, &repeated(bytes)).await;
        assert_eq!(body.len(), bytes);
        let mut seen = 0;
        while let Some(piece) = body.try_next().await.expect("goes on") {
            assert!(piece.len() <= 64 << 10);
            assert!(piece.iter().all(|byte| *byte == b'x'));
            seen += piece.len();
        }
        assert_eq!(seen, bytes);
    }
    assert_eq!(one.status().in_use, 0);
}

#[tokio::test]
async fn a_small_body_comes_at_once() {
    let (_database, one) = one_connection().await;
    let (anonymous, statement) = (Caller::anonymous(), repeated(1000));
    let run = RunAs { read_only: true, ..RunAs::new(&anonymous, &statement) };
    let answer = one.answer_as(&run).await.expect("runs");
    assert!(matches!(answer.last, Last::Whole(Some(body)) if body.len() == 1000));
}

// rows: PG-PIPELINE-ATOMIC
#[tokio::test]
async fn a_write_answers_only_after_its_commit_and_is_bounded() {
    let (_database, one) = one_connection().await;
    let (anonymous, statement) = (Caller::anonymous(), repeated(100_000));
    let run = RunAs::new(&anonymous, &statement);
    assert!(
        matches!(one.answer_as(&run).await.expect("runs").last, Last::Whole(Some(body)) if body.len() == 100_000)
    );
    let large = repeated(2 << 20);
    let error = one.answer_as(&RunAs { statement: &large, ..run }).await.expect_err("above the bound");
    assert!(matches!(error, RunError::TooLarge { .. }), "{error:?}");
}

// rows: rest/B12
#[tokio::test]
async fn a_reader_that_goes_away_gives_the_connection_back() {
    let (database, one) = one_connection().await;
    let mut body = arriving(&one, &repeated(50 << 20)).await;
    body.next().await.expect("a piece").expect("good");
    drop(body);
    let (anonymous, small) = (Caller::anonymous(), repeated(10));
    let again = RunAs { read_only: true, ..RunAs::new(&anonymous, &small) };
    let soon = tokio::time::timeout(Duration::from_secs(5), one.answer_as(&again));
    soon.await.expect("soon").expect("runs");
    let active = "select count(*) from pg_stat_activity where datname = current_database() \
                  and usename = 'authenticator' and state = 'active'";
    for _ in 0..100 {
        let asked = sqlx::query_scalar(active).fetch_one(database.pool(Login::Admin));
        let active: i64 = asked.await.expect("a number");
        if active == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the server still sends");
}

#[tokio::test]
async fn a_server_that_dies_breaks_the_body_off_with_an_error() {
    let (database, one) = one_connection().await;
    let mut body = arriving(&one, &repeated(50 << 20)).await;
    body.next().await.expect("a piece").expect("good");
    let kill = "select pg_terminate_backend(pid) from pg_stat_activity \
                where usename = 'authenticator' and datname = current_database()";
    sqlx::query(kill).fetch_all(database.pool(Login::Admin)).await.expect("killed");
    let mut broken = false;
    while let Some(piece) = body.next().await {
        broken |= piece.is_err();
    }
    assert!(broken, "a body that ended early looked whole");
    arriving(&one, &repeated(100_000)).await;
}

#[tokio::test]
async fn a_reader_that_takes_nothing_is_given_up() {
    let database = platform_database().await;
    let settings =
        DatabaseSettings { longest_stall: Duration::from_millis(400), ..database.settings().clone() };
    let hasty = Database::connect(&settings).expect("valid settings");
    let mut body = arriving(&hasty, &repeated(50 << 20)).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(hasty.status().in_use, 1, "there is still time");
    let given_up = async {
        while hasty.status().in_use > 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(5), given_up).await.expect("the connection is still held");
    let mut broken = false;
    while let Some(piece) = body.next().await {
        broken |= piece.is_err();
    }
    assert!(broken, "a body that ended early looked whole");
}

#[tokio::test]
async fn the_statement_timeout_does_not_cut_what_a_slow_reader_takes() {
    let database = platform_database().await;
    let settings = [("statement_timeout", "500ms".into())];
    let (anonymous, statement) = (Caller::anonymous(), repeated(20 << 20));
    let run = RunAs { read_only: true, settings: &settings, ..RunAs::new(&anonymous, &statement) };
    let Last::Arriving(mut body) = database.answer_as(&run).await.expect("runs").last else {
        panic!("it came at once");
    };
    tokio::time::sleep(Duration::from_millis(700)).await;
    let mut seen = 0;
    while let Some(piece) = body.try_next().await.expect("goes on") {
        seen += piece.len();
    }
    assert_eq!(seen, 20 << 20);
}
