//! What must not happen (CONTRACT.md V01 to V15), beside the tests in `policies` and `reading`.

use banyan_db::Login;
use http::Method;
use serde_json::json;

use crate::{
    studio::studio,
    support::{Preferring, school},
};

// rows: V01
#[tokio::test]
async fn casts_languages_and_json_keys_cannot_leave_their_place() {
    let school = studio().await;
    for path in [
        "/lessons?select=id::text);drop table tags;--",
        "/lessons?words=fts(english');drop table tags;--).x",
        "/lessons?select=data->>'||(select 1)||'",
        "/lessons?order=id;drop table tags",
        "/lessons?columns=id\"",
        "/lessons?select=id::int; drop table tags",
        "/tags?on_conflict=id)do nothing;--",
        "/rpc/add?a=1);drop table tags;--",
    ] {
        let reply = school.get(path).await;
        assert!([200, 400, 404].contains(&reply.status), "{path}: {} {}", reply.status, reply.text());
        assert_ne!(reply.json()["code"], "42601", "{path}: a syntax error would mean that text got through");
    }
    let keys = json!({"id\") values (1); drop table tags; --": 1});
    assert_eq!(school.post("/tags", keys).await.error(), (400, "PGRST204"));
    assert_eq!(school.number("select count(*) from tags").await, 2);
}

// rows: V04
#[tokio::test]
async fn nothing_of_a_role_stays_on_a_connection_after_errors_and_rollbacks() {
    let mut settings = crate::support::settings();
    settings.transaction_end.choice = true;
    let school = crate::studio::studio_with(settings).await;
    let user = || banyan_testkit::user(uuid::Uuid::from_u128(1));
    for _ in 0..10 {
        let failed = school.call(Method::GET, "/lessons?id=eq.x").by(user()).await;
        assert_eq!(failed.error().0, 400);
        let undone = school.post("/papers", json!({"id": 1})).by(user()).prefer("tx=rollback").await;
        assert_eq!(undone.status, 201);
        let refused =
            school.post("/duties", json!({"id": 1, "after": 9})).by(user()).prefer("tx=rollback").await;
        assert_eq!(refused.error().1, "23503");
        let seen = school.call(Method::GET, "/rpc/setting?name=request.jwt.claims").await.ok();
        assert!(seen.as_str().is_some_and(|claims| !claims.contains("authenticated")), "{seen}");
        assert_eq!(school.get("/rpc/setting?name=role").await.ok(), json!("anon"));
        assert_eq!(school.get("/rpc/setting?name=transaction_read_only").await.ok(), json!("on"));
    }
}

// rows: V09
#[tokio::test]
async fn a_role_bounds_the_time_and_the_rows_of_its_requests() {
    let mut settings = crate::support::settings();
    settings.max_rows = Some(2);
    let school = crate::studio::studio_with(settings).await;
    assert_eq!(school.get("/lessons").await.ok().as_array().map(Vec::len), Some(2));
    assert_eq!(school.get("/rpc/numbers?up_to=1000000").await.ok(), json!([1, 2]));
    let here = "do $$ begin execute format('alter role anon in database %I set statement_timeout = 80', current_database()); end $$;
        create function public.snore() returns void language sql as $$ select pg_sleep(5) $$;";
    sqlx::raw_sql(here).execute(school.database.pool(Login::Admin)).await.expect("an admin may");
    assert!(school.state.load().await);
    assert_eq!(school.post("/rpc/snore", json!({})).await.error(), (500, "57014"));
}

// rows: V13
#[tokio::test]
async fn the_catalog_is_read_with_an_empty_search_path() {
    let school = school().await;
    let admin = school.database.pool(Login::Admin);
    let script = "create table public.pg_class (relname text); create table public.pg_proc (proname text);
        create function public.format_type(oid, int) returns text language sql as $$ select 'evil'::text $$;
        grant all on public.pg_class to anon;
        alter role authenticator set search_path = public, pg_catalog;";
    sqlx::raw_sql(script).execute(admin).await.expect("an admin may");
    let loaded = school.state.load().await;
    sqlx::raw_sql("alter role authenticator reset search_path").execute(admin).await.expect("an admin may");
    assert!(loaded);
    let lesson =
        school.post("/lessons?select=grade", json!({"title": "x", "grade": 3})).representation().await;
    assert_eq!((lesson.status, lesson.json()), (201, json!([{"grade": 3}])));
    let document = school.get("/").await.ok();
    assert_eq!(document["definitions"]["lessons"]["properties"]["grade"]["format"], "int32");
}

// rows: V15
#[tokio::test]
async fn key_order_numbers_and_duplicates_stay_as_sent() {
    let school = studio().await;
    let body = r#"{"id": 1, "body": {"z": 1.50, "a": 1e3, "z": null, "n": 123456789012345678901234567890}}"#;
    let made =
        school.call(Method::POST, "/kinds?select=body").body("application/json", body).representation();
    assert_eq!(
        made.await.text(),
        r#"[{"body":{"z": 1.50, "a": 1e3, "z": null, "n": 123456789012345678901234567890}}]"#
    );
    let twice = school
        .call(Method::POST, "/kinds?select=price")
        .body("application/json", r#"{"id": 2, "price": 1, "price": 2.5}"#);
    assert_eq!(twice.representation().await.json(), json!([{"price": 2.5}]), "the last duplicate counts");
}

// rows: V09
#[tokio::test]
async fn stars_are_not_written_out_to_more_columns_than_postgresql_selects() {
    let school = studio().await;
    let stars = vec!["*"; 1000].join(",");
    let many = school.get(&format!("/lessons?select=id,...chapters({stars})")).await;
    assert_eq!(many.error(), (400, "54011"));
    let all = school.get(&format!("/lessons?select={stars}")).await;
    assert_eq!(all.error(), (400, "54011"));
    let few = school.get("/lessons?select=id,...chapters(*)&limit=1").await;
    assert_eq!(few.status, 200);
}

/// A table of more than a mebibyte, whose JSON is too large for it.
fn too_much() -> String {
    format!("name\n{}", "\u{1}\n".repeat(600_000))
}

// rows: V09 I11
#[tokio::test]
async fn a_large_table_is_not_built_for_who_may_not_write_it() {
    let school = studio().await;
    school
        .sql(
            "create table public.closed (name text); create view public.closed_view as table public.closed;
            revoke all on public.closed, public.closed_view from anon, authenticated;
            grant update (name), select on public.closed to authenticated;
            grant all on public.closed to service_role;
            create function public.closed_call(name text) returns int language sql as 'select 1';
            revoke execute on function public.closed_call from public, anon, authenticated;",
        )
        .await;
    assert!(school.state.load().await);
    let send = async |method: Method, path: &str, by: banyan_identity::Caller| {
        school.call(method, path).by(by).body("text/csv", too_much()).await
    };
    let denied = |status| (status, "42501");
    let (anyone, user) =
        (banyan_identity::Caller::anonymous, || banyan_testkit::user(uuid::Uuid::from_u128(1)));
    for path in ["/closed", "/closed?select=name", "/closed_view", "/rpc/closed_call"] {
        assert_eq!(send(Method::POST, path, anyone()).await.error(), denied(401), "{path}");
        assert_eq!(send(Method::POST, path, user()).await.error(), denied(403), "{path}");
    }
    assert_eq!(send(Method::PATCH, "/closed?name=eq.x", anyone()).await.error(), denied(401));
    let built = (413, "PGRST102");
    assert_eq!(send(Method::PATCH, "/closed?name=eq.x", user()).await.error(), built);
    let service = banyan_testkit::caller("service_role", None, json!({}));
    assert_eq!(send(Method::POST, "/closed", service).await.error(), built);
}

/// How often a trigger or a function ran, those that were rolled back among them.
const TOUCHED: &str = "select case when is_called then last_value else 0 end from touched";

// rows: V09 I11
#[tokio::test]
async fn a_large_table_is_judged_without_being_written() {
    let mut settings = crate::support::settings();
    settings.plans = true;
    let school = crate::studio::studio_with(settings).await;
    school
        .sql(
            "create table public.large (id int primary key, name text);
            create sequence public.touched;
            create function public.touch() returns trigger language plpgsql security definer as
                'begin perform nextval(''public.touched''); return null; end';
            create trigger touch before insert or update on public.large execute function public.touch();
            create function public.measure(id int, name text) returns int volatile security definer
                language sql as 'select nextval(''public.touched''); select length(name)';
            grant all on public.large to anon; grant execute on function public.measure to anon;",
        )
        .await;
    assert!(school.state.load().await);
    let lines: Vec<String> = (0..1200).map(|id| format!("{id},{}", "x".repeat(1000))).collect();
    let csv = format!("id,name\n{}", lines.join("\n"));
    let send = async |method: Method, path: &str, accept: &str| {
        let ask = school.call(method, path).header("accept", accept).body("text/csv", csv.clone());
        ask.await.status
    };
    let json = "application/json";
    assert_eq!(send(Method::POST, "/large", json).await, 201);
    assert_eq!(send(Method::POST, "/large", json).await, 409, "the key is judged where it is written");
    assert_eq!(send(Method::POST, "/large?on_conflict=id", "application/vnd.pgrst.plan").await, 200);
    assert_eq!(send(Method::PATCH, "/large?id=eq.3&select=id", json).await, 409);
    assert_eq!(school.number(TOUCHED).await, 3, "once for each write, not for one that is only planned");
    assert_eq!(send(Method::POST, "/rpc/measure", json).await, 200);
    assert_eq!(school.number(TOUCHED).await, 4, "the function ran once");
    assert_eq!(school.number("select count(*) from large").await, 1200);
}
