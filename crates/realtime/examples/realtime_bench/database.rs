use std::{
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use futures_util::{SinkExt, StreamExt};
use serde_json::json;
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::{
    Failure,
    rows::Bench,
    sockets::{Received, Socket, join, message},
};

/// Sockets of the row `joins`, each with a user of its own.
const JOINING: usize = 50;
/// Subscribers of the rows of changes, each with a user of its own.
const SUBSCRIBERS: usize = 100;
/// Rows of which commits are timed.
const COMMITS: usize = 200;

/// Everybody of a class reads a private topic; changes are seen by their owner, or by a class.
const SCHEMA: &str = "
    drop table if exists public.bench_members, public.bench_own, public.bench_class cascade;
    create table public.bench_members (user_id uuid primary key);
    create table public.bench_own (id bigserial primary key, owner uuid, at bigint);
    create table public.bench_class (id bigserial primary key, owner uuid, at bigint);
    grant select on public.bench_members, public.bench_own, public.bench_class to authenticated;
    alter table public.bench_own enable row level security;
    alter table public.bench_class enable row level security;
    create policy own on public.bench_own for select to authenticated using (owner = (select auth.uid()));
    create policy class on public.bench_class for select to authenticated
        using (exists (select from public.bench_members where user_id = (select auth.uid())));
    drop policy if exists bench_joins on realtime.messages;
    create policy bench_joins on realtime.messages for select to authenticated
        using (exists (select from public.bench_members where user_id = (select auth.uid())));
    alter publication supabase_realtime add table public.bench_own, public.bench_class;
    insert into public.bench_members
    select ('00000000-0000-4000-8000-' || lpad(to_hex(number), 12, '0'))::uuid
    from generate_series(0, 9999) number;";

async fn prepared(database: &str) -> Result<PgConnection, Failure> {
    let mut connection = PgConnection::connect(database).await?;
    sqlx::raw_sql(AssertSqlSafe(SCHEMA)).execute(&mut connection).await?;
    Ok(connection)
}

fn user(number: usize) -> Uuid {
    format!("00000000-0000-4000-8000-{number:012x}").parse().expect("it is a uuid")
}

fn token(number: usize) -> String {
    banyan_testkit::token("authenticated", Some(user(number)), json!({}))
}

/// Private joins per second: of users that nobody remembers, and of the same ones again.
pub(crate) async fn joins(bench: &Bench, database: &str) -> Result<(), Failure> {
    prepared(database).await?;
    for (name, topics) in [("cold", usize::MAX), ("remembered", 1)] {
        let (cpu, begin, mut tasks) = (bench.server.cpu()?, Instant::now(), JoinSet::new());
        for number in 0..JOINING {
            let (target, time) = (bench.target.clone(), bench.time);
            tasks.spawn(
                async move { join_for_a_while(target.open(number).await?, number, topics, time).await },
            );
        }
        let mut joined = 0;
        while let Some(done) = tasks.join_next().await {
            joined += done??;
        }
        let (cpu, took) = (bench.server.cpu()? - cpu, begin.elapsed().as_secs_f64());
        println!(
            "joins {name}: {:.0} private joins/s, {:.0} for a second of our CPU",
            joined as f64 / took,
            joined as f64 / cpu
        );
    }
    Ok(())
}

async fn join_for_a_while(
    mut socket: Socket,
    number: usize,
    topics: usize,
    time: Duration,
) -> Result<usize, Failure> {
    let payload = format!(r#"{{"config":{{"private":true}},"access_token":"{}"}}"#, token(number));
    let (begin, mut joined) = (Instant::now(), 0);
    while begin.elapsed() < time {
        let topic = format!("private:{}", joined % topics);
        join(&mut socket, number, &topic, &payload).await?;
        joined += 1;
        socket.send(message(number, &topic, "phx_leave", "{}")).await?;
        for _ in ["phx_reply", "phx_close"] {
            socket.next().await.ok_or("the socket is closed")??;
        }
    }
    Ok(joined)
}

/// Commit to socket, and authorised changes per second with a simple policy and with one that asks
/// another table.
pub(crate) async fn changes(bench: &Bench, database: &str) -> Result<(), Failure> {
    let mut connection = prepared(database).await?;
    commit_to_socket(bench, &mut connection).await?;
    let own = "insert into public.bench_own (owner, at)
        select user_id, $1 from public.bench_members order by user_id limit $2";
    let class = "insert into public.bench_class (at) select $1 from generate_series(1, $2 / 100)";
    authorised(bench, &mut connection, ("simple policy", "bench_own", own)).await?;
    authorised(bench, &mut connection, ("policy in SQL", "bench_class", class)).await
}

async fn commit_to_socket(bench: &Bench, connection: &mut PgConnection) -> Result<(), Failure> {
    let (received, _readers) = subscribers(bench, "bench_class").await?;
    for sent in 1..=COMMITS {
        let at = i64::try_from(received.now())?;
        sqlx::query("insert into public.bench_class (at) values ($1)")
            .bind(at)
            .execute(&mut *connection)
            .await?;
        wait(&received, (sent * SUBSCRIBERS) as u64).await?;
    }
    println!(
        "changes: commit to {SUBSCRIBERS} sockets p50 {:.2} ms, p99 {:.2} ms",
        received.took.at(0.5),
        received.took.at(0.99)
    );
    Ok(())
}

/// Inserts rows in statements of a hundred messages for each subscriber, one after another.
async fn authorised(
    bench: &Bench,
    connection: &mut PgConnection,
    (name, table, insert): (&str, &str, &'static str),
) -> Result<(), Failure> {
    let (received, _readers) = subscribers(bench, table).await?;
    let (cpu, begin, mut expected) = (bench.server.cpu()?, Instant::now(), 0);
    while begin.elapsed() < bench.time {
        for _ in 0..10 {
            let at = i64::try_from(received.now())?;
            sqlx::query(insert).bind(at).bind(SUBSCRIBERS as i64).execute(&mut *connection).await?;
            expected += SUBSCRIBERS as u64;
        }
        wait(&received, expected).await?;
    }
    let (cpu, took) = (bench.server.cpu()? - cpu, begin.elapsed().as_secs_f64());
    println!(
        "changes, {name}: {:.0} authorised messages/s, {:.0} for a second of our CPU",
        expected as f64 / took,
        expected as f64 / cpu
    );
    Ok(())
}

async fn wait(received: &Received, expected: u64) -> Result<(), Failure> {
    let begin = Instant::now();
    while received.count.load(Ordering::Relaxed) < expected {
        if begin.elapsed() > Duration::from_secs(20) {
            return Err("changes do not arrive".into());
        }
        tokio::time::sleep(Duration::from_micros(200)).await;
    }
    Ok(())
}

/// Users who have subscribed to all changes of a table.
async fn subscribers(bench: &Bench, table: &str) -> Result<(Arc<Received>, JoinSet<()>), Failure> {
    let (received, mut readers) = (Received::new(), JoinSet::new());
    for number in 0..SUBSCRIBERS {
        let mut socket = bench.target.open(number).await?;
        let changes = json!([{"event": "*", "schema": "public", "table": table}]);
        let payload = json!({"config": {"postgres_changes": changes}, "access_token": token(number)});
        join(&mut socket, number, table, &payload.to_string()).await?;
        subscribed(&mut socket).await?;
        readers.spawn(Arc::clone(&received).read(socket));
    }
    Ok((received, readers))
}

async fn subscribed(socket: &mut Socket) -> Result<(), Failure> {
    let told = async {
        while let Some(message) = socket.next().await {
            if message?.as_text().is_some_and(|text| text.contains("Subscribed to PostgreSQL")) {
                return Ok(());
            }
        }
        Err("the socket is closed".into())
    };
    tokio::time::timeout(Duration::from_secs(10), told).await.map_err(|_| "nothing is subscribed")?
}
