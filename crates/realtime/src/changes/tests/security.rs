use std::{
    sync::Arc,
    task::{Context, Poll, Waker},
};

use banyan_identity::Caller;
use banyan_testkit::{caller, user};
use futures_util::future::join_all;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Alone, Changes, Heard, Rig, Settings, all_of, context, join};

const OWNED: &str = "create table public.owned (id bigint primary key, owner uuid, body text);
    alter table public.owned enable row level security;
    create policy own on public.owned for select using (owner = auth.uid() or id = 0);
    alter publication supabase_realtime add table public.owned;";

const ANNA: Uuid = Uuid::from_u128(1);
const BOB: Uuid = Uuid::from_u128(2);

// rows: G14 G18
#[tokio::test]
async fn a_user_hears_of_the_rows_that_a_select_would_give_him() {
    let rig = Rig::new(OWNED).await;
    let mut anna = rig.channel(user(ANNA), all_of("owned")).await;
    let mut bob = rig.channel(user(BOB), all_of("owned")).await;
    let mut nobody = rig.channel(Caller::anonymous(), all_of("owned")).await;
    let mut service = rig.channel(Caller::service(), all_of("owned")).await;
    rig.run(&format!("insert into owned values (1, '{ANNA}'), (2, '{BOB}'), (3, null)")).await;
    rig.run(&format!("update owned set owner = '{BOB}', body = 'now' where id = 1")).await;
    rig.run("insert into owned values (0)").await;
    assert_eq!(bob.ids_until_0().await, [2, 1]);
    assert_eq!(nobody.ids_until_0().await, [] as [i64; 0]);
    assert_eq!(service.ids_until_0().await, [1, 2, 3, 1]);
    // Anna's row may have changed hands before she was asked for.
    let of_anna = anna.ids_until_0().await;
    assert!(of_anna == [1] || of_anna.is_empty(), "{of_anna:?}");
}

// rows: G14
#[tokio::test]
async fn a_row_is_never_shown_as_it_was_before_its_owner_got_it() {
    let rig = Rig::new(OWNED).await;
    let mut bob = rig.channel(user(BOB), all_of("owned")).await;
    let mut changes = String::new();
    for id in 1..=30 {
        changes.push_str(&format!(
            "begin; insert into owned values ({id}, '{ANNA}', 'secret'); commit;
             begin; update owned set body = 'still secret' where id = {id};
             savepoint s; update owned set owner = '{BOB}', body = 'given' where id = {id}; commit;"
        ));
    }
    rig.run(&changes).await;
    rig.run("insert into owned values (0)").await;
    let mut given = 0;
    loop {
        let change = bob.change().await;
        match change["record"]["body"].as_str() {
            None => break,
            Some(body) => assert_eq!(body, "given", "{change}"),
        }
        given += 1;
    }
    assert_eq!(given, 30);
}

// rows: G14 G17
#[tokio::test]
async fn each_of_many_fast_updates_reaches_the_owner() {
    let rig = Rig::new(OWNED).await;
    let mut anna = rig.channel(user(ANNA), all_of("owned")).await;
    let mut changes = format!("begin; insert into owned values (1, '{ANNA}', '0'); commit;");
    for number in 1..50 {
        changes.push_str(&format!("begin; update owned set body = '{number}'; commit;"));
    }
    rig.run(&changes).await;
    for number in 0..50 {
        assert_eq!(anna.change().await["record"]["body"], json!(number.to_string()));
    }
}

// rows: G14
#[tokio::test]
async fn a_delete_carries_the_primary_key_alone() {
    let rig = Rig::new(OWNED).await;
    rig.run("alter table owned replica identity full").await;
    let mut bob = rig.channel(user(BOB), all_of("owned")).await;
    rig.run(&format!("insert into owned values (1, '{ANNA}', 'secret'); delete from owned")).await;
    let deleted = bob.change().await;
    assert_eq!((&deleted["type"], &deleted["old_record"]), (&json!("DELETE"), &json!({"id": 1})));
}

// rows: G15
#[tokio::test]
async fn columns_that_a_role_may_not_read_are_left_out() {
    let rig = Rig::new(
        "create table public.people (id int primary key, name text, salary int);
         revoke all on public.people from anon; grant select (id, name) on public.people to anon;
         alter table public.people replica identity full;
         alter publication supabase_realtime add table public.people;",
    )
    .await;
    let mut anybody = rig.channel(Caller::anonymous(), all_of("people")).await;
    let mut service = rig.channel(Caller::service(), all_of("people")).await;
    rig.run("insert into people values (1, 'a', 5); update people set salary = 6").await;
    for _ in 0..2 {
        let change = anybody.change().await;
        assert_eq!(change["record"], json!({"id": 1, "name": "a"}));
        assert_eq!(change["columns"].as_array().map(Vec::len), Some(2));
        assert!(change["old_record"].get("salary").is_none());
    }
    assert_eq!(service.change().await["record"]["salary"], json!(5));
    let filter = json!({"schema": "public", "table": "people", "filter": "salary=gt.1"});
    let mut refused = rig.join(Caller::anonymous(), &[filter]);
    let Heard::System(_, message) = refused.next().await else { panic!("a message") };
    assert!(message.ends_with("invalid column for filter salary"), "{message}");
}

// rows: G14 G15
#[tokio::test]
async fn who_may_read_some_columns_alone_is_held_to_the_policies_too() {
    let rig = Rig::new(OWNED).await;
    rig.run("revoke all on owned from authenticated; grant select (id, owner) on owned to authenticated")
        .await;
    let mut anna = rig.channel(user(ANNA), all_of("owned")).await;
    rig.run(&format!("insert into owned values (1, '{ANNA}', 'x'), (2, '{BOB}', 'y'), (0, null, null)"))
        .await;
    let change = anna.change().await;
    assert_eq!(change["record"], json!({"id": 1, "owner": ANNA.to_string()}));
    assert_eq!(anna.ids_until_0().await, [] as [i64; 0]);
}

// rows: G16
#[tokio::test]
async fn without_a_key_that_may_be_read_only_the_error_is_told() {
    let rig = Rig::new(
        "create table public.keyless (a int); alter table public.keyless replica identity full;
         create table public.closed (id int primary key, a int);
         revoke all on public.closed from anon; grant select (a) on public.closed to anon;
         alter publication supabase_realtime add table public.keyless, public.closed;",
    )
    .await;
    for (table, error) in
        [("keyless", "Error 400: Bad Request, no primary key"), ("closed", "Error 401: Unauthorized")]
    {
        let mut channel = rig.channel(Caller::anonymous(), all_of(table)).await;
        rig.run(&format!("insert into {table} values (1)")).await;
        let change = channel.change().await;
        assert_eq!((&change["errors"], &change["record"]), (&json!([error]), &json!({})), "{table}");
        assert_eq!((&change["schema"], &change["table"]), (&json!("public"), &json!(table)));
    }
}

// rows: G15 G16
#[tokio::test]
async fn rows_of_a_schema_that_a_role_may_not_use_are_not_shown() {
    let rig = Rig::new(
        "create schema shut; create table shut.notes (id int primary key, body text);
         grant select on shut.notes to anon, service_role; grant usage on schema shut to service_role;
         alter table shut.notes replica identity full;
         alter publication supabase_realtime add table shut.notes;",
    )
    .await;
    let notes = json!({"schema": "shut", "table": "notes"});
    let mut anybody = rig.channel(Caller::anonymous(), notes.clone()).await;
    let mut service = rig.channel(Caller::service(), notes).await;
    rig.run("insert into shut.notes values (1, 'secret'); update shut.notes set body = 'more'").await;
    rig.run("delete from shut.notes").await;
    for _ in 0..2 {
        let change = anybody.change().await;
        assert_eq!(change["errors"], json!(["Error 401: Unauthorized"]));
        assert_eq!((&change["record"], &change["old_record"]), (&json!({}), &json!({})));
    }
    assert_eq!(anybody.change().await["old_record"], json!({}), "the deleted row");
    assert_eq!(service.change().await["record"], json!({"id": 1, "body": "secret"}));
    let filter = json!({"schema": "shut", "table": "notes", "filter": "body=eq.secret"});
    let mut refused = rig.join(Caller::anonymous(), &[filter]);
    let Heard::System(_, message) = refused.next().await else { panic!("a message") };
    assert!(message.ends_with("invalid column for filter body"), "{message}");
}

// rows: G14 T5
#[tokio::test]
async fn policies_on_claims_of_the_session_tell_sessions_apart() {
    let rig = Rig::new(
        "create table public.devices (id int primary key, session text);
         alter table public.devices enable row level security;
         create policy own on public.devices for select
            using (session = (auth.jwt() ->> 'session_id') or id = 0);
         alter publication supabase_realtime add table public.devices;",
    )
    .await;
    let of = |session: &str| caller("authenticated", Some(ANNA), json!({"session_id": session}));
    let mut one = rig.channel(of("one"), all_of("devices")).await;
    let mut other = rig.channel(of("other"), all_of("devices")).await;
    rig.run("insert into devices values (1, 'one'), (2, 'other'), (0, null)").await;
    assert_eq!(one.ids_until_0().await, [1]);
    assert_eq!(other.ids_until_0().await, [2]);
}

// rows: T5 G3
#[tokio::test]
async fn a_newer_token_is_what_policies_see() {
    let rig = Rig::new(OWNED).await;
    let mut channel = rig.channel(user(ANNA), all_of("owned")).await;
    channel.subscription.as_ref().expect("it is there").renew(&user(BOB));
    channel.is_subscribed().await;
    rig.run(&format!("insert into owned values (1, '{ANNA}'), (2, '{BOB}'), (0, null)")).await;
    assert_eq!(channel.ids_until_0().await, [2]);
}

// rows: T5
#[tokio::test]
async fn who_enters_slowly_with_an_older_token_changes_nothing() {
    let rig = Rig::new(OWNED).await;
    let mut channel = rig.channel(Caller::service(), all_of("owned")).await;
    let subscriptions = &rig.changes.0.subscriptions;
    let subscription = channel.subscription.as_ref().expect("it is there");
    let subscriber = Arc::clone(&subscription.subscriber);
    subscriptions.forget_resolved();
    let mut slow = Box::pin(subscriptions.enter(&subscriber));
    let mut nobody = Context::from_waker(Waker::noop());
    assert_eq!(slow.as_mut().poll(&mut nobody), Poll::Pending, "it asks the database");
    subscription.renew(&user(ANNA));
    channel.is_subscribed().await;
    assert_eq!(slow.await, Ok(false));
    rig.run(&format!("insert into owned values (1, '{ANNA}'), (2, '{BOB}'), (0, null)")).await;
    assert_eq!(channel.ids_until_0().await, [1]);
}

// rows: G14
#[tokio::test]
async fn a_policy_that_fails_for_one_row_hides_that_row_alone() {
    let rig = Rig::new(
        "create table public.ratios (id int primary key, a int);
         alter table public.ratios enable row level security;
         create policy few on public.ratios for select using (1 / a > 0);
         alter publication supabase_realtime add table public.ratios;",
    )
    .await;
    let mut channel = rig.channel(user(ANNA), all_of("ratios")).await;
    rig.run("insert into ratios values (1, 1), (2, 0), (3, 1), (0, 1)").await;
    assert_eq!(channel.ids_until_0().await, [1, 3]);
}

// rows: G14 G15
#[tokio::test]
async fn a_policy_or_a_right_that_is_new_holds_for_the_next_change() {
    let rig = Rig::new(
        "create table public.open (id int primary key, body text);
         alter publication supabase_realtime add table public.open;",
    )
    .await;
    let mut anna = rig.channel(user(ANNA), all_of("open")).await;
    rig.run("insert into open values (1, 'x')").await;
    assert_eq!(anna.change().await["record"]["body"], json!("x"));
    rig.run("revoke all on open from authenticated; grant select (id) on open to authenticated").await;
    rig.run("insert into open values (2, 'x')").await;
    assert_eq!(anna.change().await["record"], json!({"id": 2}));
    rig.run("alter table open enable row level security").await;
    rig.run("insert into open values (3)").await;
    rig.run("create policy all_of_them on open for select using (true)").await;
    rig.run("insert into open values (0)").await;
    // The third may have been asked about before the policy was there, or after.
    let rest: Vec<Value> = anna.ids_until_0().await.into_iter().map(Value::from).collect();
    assert!(rest.is_empty() || rest == [json!(3)], "{rest:?}");
}

// rows: G14
#[tokio::test]
async fn each_insert_of_several_writers_reaches_the_owner() {
    let rig = Rig::new(OWNED).await;
    let settings =
        Settings { max_messages_per_second: 100_000, ..(&banyan_testkit::config().realtime).into() };
    let changes = Changes::new(context(rig.database.database(), Arc::new(Alone), settings));
    let mut anna = join(&changes, user(ANNA), &[all_of("owned")]);
    anna.is_subscribed().await;
    let rig = &rig;
    let write = |writer: i64| async move {
        for id in writer * 100 + 1..=writer * 100 + 100 {
            rig.run(&format!("insert into owned values ({id}, '{ANNA}')")).await;
        }
    };
    join_all((0..6).map(write)).await;
    rig.run("insert into owned values (0)").await;
    let mut heard = anna.ids_until_0().await;
    heard.sort_unstable();
    assert_eq!(heard, Vec::from_iter(1..=600));
}
