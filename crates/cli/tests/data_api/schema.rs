use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::support::{Api, Stage};

async fn loads(api: &Api) -> f64 {
    api.metric("pgrst_schema_cache_loads_total{status=\"SUCCESS\"}").await
}

// rows: rest/L02 rest/PGRST002
#[tokio::test]
async fn before_the_first_load_every_request_is_told_to_come_back() {
    let stage = Stage::without_database().await;
    let api = stage.serve("");
    let early = api.get("/lessons").await;
    assert_eq!((early.status, early.refusal().1.as_str()), (503, "PGRST002"));
    assert!(!early.header("retry-after").is_empty());
    assert_eq!((api.admin("/ready").await.status, api.admin("/live").await.status), (503, 200));
    stage.create().await;
    api.until("/lessons", |reply| reply.status == 200).await;
    api.until_admin("/ready", |reply| reply.status == 200).await;
}

// rows: rest/L03 rest/L04
#[tokio::test]
async fn the_schema_follows_notifications_and_sigusr1() {
    let stage = Stage::new().await;
    let api = stage.serve("");
    for (table, how) in [("by_words", "notify pgrst, 'reload schema'"), ("by_silence", "notify pgrst")] {
        assert_eq!(api.get(&format!("/{table}")).await.refusal().1, "PGRST205");
        stage
            .execute(&format!(
                "create table school.{table} (id int); grant select on school.{table} to ROLE_anon; {how}"
            ))
            .await;
        api.until(&format!("/{table}"), |reply| reply.status == 200).await;
    }
    stage
        .execute("create table school.by_signal (id int); grant select on school.by_signal to ROLE_anon")
        .await;
    stage.execute("notify pgrst, 'reload config'; notify pgrst, 'something else'").await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(api.get("/by_signal").await.refusal().1, "PGRST205", "the configuration alone was read");
    api.signal(Signal::USR1);
    api.until("/by_signal", |reply| reply.status == 200).await;
}

// rows: rest/L06 rest/config-db-channel rest/config-db-channel-enabled
#[tokio::test]
async fn another_is_heard_and_a_switched_off_one_is_not() {
    let stage = Stage::new().await;
    let bell = stage.serve("db-channel = \"bell\"");
    let deaf = stage.serve("db-channel-enabled = false");
    stage
        .execute(
            "create table school.later (id int); grant select on school.later to ROLE_anon; notify pgrst",
        )
        .await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(bell.get("/later").await.refusal().1, "PGRST205", "it listens elsewhere");
    stage.execute("notify bell").await;
    bell.until("/later", |reply| reply.status == 200).await;
    assert_eq!(deaf.get("/later").await.refusal().1, "PGRST205");
    deaf.signal(Signal::USR1);
    deaf.until("/later", |reply| reply.status == 200).await;
}

// rows: rest/L07
#[tokio::test]
async fn a_burst_of_notifications_is_answered_at_once_and_once_more() {
    let stage = Stage::new().await;
    let api = stage.serve("");
    tokio::time::sleep(Duration::from_millis(500)).await;
    let before = loads(&api).await;
    for n in 0..30 {
        stage
            .execute(&format!(
                "create table school.t{n} (); grant select on school.t{n} to ROLE_anon; notify pgrst"
            ))
            .await;
    }
    api.until("/t29", |reply| reply.status == 200).await;
    let made = loads(&api).await - before;
    assert!((1.0..30.0).contains(&made), "{made} loads for 30 notifications");
    let before = loads(&api).await;
    let burst = "do $$ begin for n in 1..30 loop perform pg_notify('pgrst', 'reload schema'); commit; end loop; end $$";
    stage.execute(burst).await;
    tokio::time::sleep(Duration::from_millis(700)).await;
    let made = loads(&api).await - before;
    assert!((1.0..=2.0).contains(&made), "{made} loads for one burst");
}

// rows: rest/L08
#[tokio::test]
async fn a_reload_that_fails_keeps_the_old_schema_and_is_retried() {
    let stage = Stage::new().await;
    let api = stage.serve("");
    stage.execute("revoke select on pg_catalog.pg_proc from public; notify pgrst").await;
    api.until_admin("/ready", |reply| reply.status == 503).await;
    assert!(api.metric("pgrst_schema_cache_loads_total{status=\"FAIL\"}").await >= 1.0);
    assert_eq!(api.get("/lessons").await.status, 200, "the old one serves");
    stage.execute("grant select on pg_catalog.pg_proc to public").await;
    api.until_admin("/ready", |reply| reply.status == 200).await;
}

// rows: rest/L09
#[tokio::test]
async fn a_dropped_table_is_postgresqls_error_until_the_schema_is_read_again() {
    let stage = Stage::new().await;
    let api = stage.serve("");
    assert_eq!(api.get("/lessons").await.status, 200);
    stage.execute("drop table school.lessons").await;
    assert_eq!(api.get("/lessons").await.refusal().1, "42P01");
    assert_eq!(api.get("/lessons").await.status, 404);
    stage.execute("notify pgrst, 'reload schema'").await;
    let known = api.until("/lessons", |reply| reply.refusal().1 == "PGRST205").await;
    assert_eq!(known.status, 404);
}

// rows: rest/L10 rest/B07
#[tokio::test]
async fn connections_are_renewed_after_a_load_and_what_runs_is_not_disturbed() {
    let stage = Stage::new().await;
    let api = stage.serve("db-pool = 2");
    let before = api.get("/rpc/backend").await.json();
    let (client, url) = (reqwest::Client::new(), api.url.clone());
    let running = tokio::spawn(async move { client.get(format!("{url}/rpc/nap?seconds=0.7")).send().await });
    stage.until_napping(&running).await;
    stage.execute("notify pgrst, 'reload schema'").await;
    api.until("/rpc/backend", |reply| reply.json() != before).await;
    assert_eq!(running.await.expect("asked").expect("answered").status(), 200);
    let after = api.get("/rpc/backend").await.json();
    assert_ne!(before, after, "no session of before serves");
}

// rows: rest/L11
#[tokio::test]
async fn event_triggers_make_it_follow_by_itself() {
    let stage = Stage::new().await;
    stage
        .execute(
            "create function public.tell() returns event_trigger language plpgsql as $$ begin notify pgrst; end $$;
             create event trigger made on ddl_command_end execute function public.tell();
             create event trigger gone on sql_drop execute function public.tell();",
        )
        .await;
    let api = stage.serve("");
    stage.execute("create table school.later (id int); grant select on school.later to ROLE_anon").await;
    api.until("/later", |reply| reply.status == 200).await;
    stage.execute("drop table school.later").await;
    api.until("/later", |reply| reply.refusal().1 == "PGRST205").await;
}

// rows: rest/L12 rest/B03 rest/B06
#[tokio::test]
async fn a_lost_listener_comes_back_and_reads_what_it_missed() {
    let stage = Stage::new().await;
    let api = stage.serve("");
    while loads(&api).await < 2.0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let before = loads(&api).await;
    stage
        .execute(
            "create table school.missed (id int); grant select on school.missed to ROLE_anon;
             select pg_terminate_backend(pid) from pg_stat_activity where usename = 'ROLE_login'",
        )
        .await;
    api.until("/missed", |reply| reply.status == 200).await;
    assert!(loads(&api).await > before);
    api.until_admin("/ready", |reply| reply.status == 200).await;
}

// rows: rest/L13 rest/X10
#[tokio::test]
async fn thousands_of_relations_load_quickly_and_no_hint_is_searched_among_them() {
    let stage = Stage::new().await;
    for part in 0..4 {
        let from = part * 500;
        stage
            .execute(&format!(
                "do $$ begin for n in {from}..{} loop
                   execute format('create table school.big_%s (id int primary key, parent int references school.lessons, a text, b date, c jsonb)', n);
                 end loop; end $$",
                from + 499
            ))
            .await;
    }
    let api = stage.serve("");
    let took = api.metric("pgrst_schema_cache_query_time_seconds").await;
    println!("2,000 relations with 10,000 columns and 2,000 foreign keys: {took} s");
    assert!(took < 3.0, "{took} s");
    api.get("/lessons?limit=1").await;
    let began = Instant::now();
    let unknown = api.get("/bigg_77").await;
    assert_eq!(
        (unknown.refusal().1.as_str(), &unknown.json()["hint"]),
        ("PGRST205", &serde_json::Value::Null)
    );
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    let began = Instant::now();
    assert_eq!(api.get("/lessons?select=id,bigg_77(id)").await.refusal().1, "PGRST200");
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
}

// rows: rest/L14
#[tokio::test]
async fn this_version_of_postgresql_serves_domains_views_functions_and_settings_of_roles() {
    let stage = Stage::new().await;
    stage
        .execute(
            "create domain school.name as text; create domain school.short_name as school.name check (length(value) < 9);
             create table school.pupils (id int primary key, name school.short_name, lesson int references school.lessons);
             insert into school.pupils values (1, 'Asha', 2);
             create view school.register as select id, name, lesson from school.pupils;
             create function school.greet(who school.short_name) returns text immutable language sql as $$ select 'namaste ' || who $$;
             grant select on school.pupils, school.register to ROLE_anon;
             alter role ROLE_anon set statement_timeout = '700ms';",
        )
        .await;
    let api = stage.serve("");
    let version = api.get("/rpc/server_version").await.json().as_i64().expect("a number");
    assert!(version >= 140_000, "{version}");
    let embedded = api.get("/register?select=name,lessons(title)&name=eq.Asha").await;
    assert_eq!(embedded.text, r#"[{"name":"Asha","lessons":{"title":"lesson 2"}}]"#);
    assert_eq!(api.get("/rpc/greet?who=Asha").await.json(), "namaste Asha");
    assert_eq!(api.get("/rpc/nap?seconds=3").await.refusal().1, "57014", "rest/CONTRACT.md G09");
    assert_eq!(
        api.get("/").await.json()["definitions"]["pupils"]["properties"]["name"]["maxLength"],
        serde_json::Value::Null
    );
}
