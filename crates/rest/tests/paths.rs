//! Paths and methods (CONTRACT.md P01 to P12).

use http::Method;
use serde_json::json;

use crate::support::{Preferring, reading, school};

// rows: P01 P12
#[tokio::test]
async fn a_path_names_the_root_a_relation_or_a_function() {
    let school = school().await;
    assert_eq!(school.get("/").await.ok()["swagger"], "2.0");
    assert_eq!(school.get("/t%61gs?select=id&id=eq.1").await.ok(), json!([{"id": 1}]));
    assert_eq!(school.get("/rpc/%61dd?a=1").await.ok(), json!(11));
    let created = school.post("/tags", json!({"id": 9})).prefer("return=headers-only").await;
    assert_eq!(created.header("location"), Some("/tags?id=eq.9"), "no prefix of a gateway");
    assert_eq!(school.get("/tags?id=eq.9").await.header("content-location"), Some("/tags?id=eq.9"));
}

// rows: P02 P11
#[tokio::test]
async fn other_paths_and_what_cannot_be_planned_need_no_connection() {
    let school = school().await;
    school.database.close().await;
    for (method, path, expected) in [
        (Method::GET, "/a/b/c", (404, "PGRST125")),
        (Method::GET, "/tags/", (404, "PGRST125")),
        (Method::GET, "/rpc/add/x", (404, "PGRST125")),
        (Method::GET, "/lesson", (404, "PGRST205")),
        (Method::PATCH, "/rpc/add", (405, "PGRST101")),
        (Method::TRACE, "/tags", (405, "PGRST117")),
        (Method::POST, "/", (405, "PGRST117")),
        (Method::GET, "/lessons?select=log(*)", (400, "PGRST200")),
        (Method::GET, "/rpc/unknown", (404, "PGRST202")),
    ] {
        let reply = school.call(method, path).await;
        assert_eq!(reply.error(), expected, "{path}");
    }
    let token = Err(banyan_identity::TokenError::Signature);
    let refused = school.call(Method::GET, "/tags").identified(token).await;
    assert_eq!(refused.error(), (401, "PGRST301"));
    assert_eq!(school.call(Method::OPTIONS, "/tags").await.status, 200);
    assert_eq!(school.get("/tags").await.status, 503, "the connections are gone indeed");
}

// rows: P03
#[tokio::test]
async fn every_kind_of_relation_is_served_and_partitions_are_not() {
    let school = reading().await;
    let foreign = "create extension file_fdw schema extensions; create server files foreign data wrapper file_fdw; \
                   create foreign table public.far (id int) server files options (filename '/dev/null'); \
                   grant select on public.far to anon;";
    sqlx::raw_sql(foreign)
        .execute(school.database.pool(banyan_db::Login::Admin))
        .await
        .expect("a foreign table");
    assert!(school.state.load().await);
    for (path, rows) in
        [("/rooms", 2), ("/bookings", 3), ("/chapter_list", 3), ("/lesson_cards", 4), ("/far", 0)]
    {
        assert_eq!(school.get(path).await.ok().as_array().map(Vec::len), Some(rows), "{path}");
    }
    for path in ["/bookings_2024", "/bookings_2025"] {
        assert_eq!(school.get(path).await.error(), (404, "PGRST205"), "{path}");
    }
}

// rows: P04
#[tokio::test]
async fn an_unknown_relation_is_refused_whatever_the_method() {
    let school = school().await;
    for method in
        [Method::GET, Method::HEAD, Method::POST, Method::PATCH, Method::PUT, Method::DELETE, Method::OPTIONS]
    {
        let reply = school.call(method.clone(), "/lesson").json(json!({})).await;
        assert_eq!(reply.status, 404, "{method}");
        assert_eq!(reply.header("proxy-status"), Some("PostgREST; error=PGRST205"), "{method}");
    }
    let unknown = school.get("/lesson").await.json();
    assert_eq!(unknown["message"], "Could not find the table 'public.lesson' in the schema cache");
    assert_eq!(unknown["hint"], "Perhaps you meant the table 'public.lessons'");
}

// rows: P05
#[tokio::test]
async fn get_returns_rows_and_head_only_their_headers() {
    let school = school().await;
    let got = school.get("/tags?order=id").await;
    assert_eq!(got.ok(), json!([{"id": 1, "label": "new"}, {"id": 2, "label": "old"}]));
    assert_eq!(got.header("content-type"), Some("application/json; charset=utf-8"));
    assert_eq!(got.header("content-range"), Some("0-1/*"));
    assert_eq!(got.header("content-length"), Some(got.text().len().to_string().as_str()));
    let head = school.call(Method::HEAD, "/tags?order=id").await;
    assert_eq!((head.status, head.text()), (200, ""));
    for name in ["content-type", "content-range", "content-location", "vary"] {
        assert_eq!(head.header(name), got.header(name), "{name}");
    }
    assert_eq!(head.header("content-length"), None);
    assert_eq!(school.get("/rpc/write_log?entry=x").await.error(), (405, "25006"));
}

// rows: P06
#[tokio::test]
async fn the_other_methods_insert_update_upsert_and_delete() {
    let school = school().await;
    let ids = async || school.get("/tags?select=id,label&order=id").await.ok();
    assert_eq!(school.post("/tags", json!({"id": 3, "label": "c"})).await.status, 201);
    assert_eq!(school.patch("/tags?id=eq.3", json!({"label": "d"})).await.status, 204);
    let put = school.call(Method::PUT, "/tags?id=eq.4").json(json!({"id": 4, "label": "e"})).await;
    assert_eq!(put.status, 204, "{}", put.text());
    assert_eq!(school.call(Method::DELETE, "/tags?id=lt.3").await.status, 409, "still in use");
    assert_eq!(school.call(Method::DELETE, "/tags?id=eq.4").await.status, 204);
    assert_eq!(
        ids().await,
        json!([{"id": 1, "label": "new"}, {"id": 2, "label": "old"}, {"id": 3, "label": "d"}])
    );
}

// rows: P07
#[tokio::test]
async fn functions_are_called_by_get_head_and_post_alone() {
    let school = school().await;
    assert_eq!(school.get("/rpc/add?a=1&b=2").await.ok(), json!(3));
    assert_eq!(school.call(Method::HEAD, "/rpc/add?a=1").await.status, 200);
    assert_eq!(school.post("/rpc/add", json!({"a": 2})).await.ok(), json!(12));
    for method in [Method::PUT, Method::PATCH, Method::DELETE, Method::TRACE] {
        let reply = school.call(method.clone(), "/rpc/add").await;
        assert_eq!(reply.error(), (405, "PGRST101"));
        assert_eq!(reply.json()["message"], format!("Cannot use the {method} method on RPC"));
    }
}

// rows: P08
#[tokio::test]
async fn verbs_that_relations_and_the_root_do_not_know_are_refused() {
    let school = school().await;
    for (method, path) in
        [(Method::TRACE, "/tags"), (Method::POST, "/"), (Method::DELETE, "/"), (Method::CONNECT, "/tags")]
    {
        let reply = school.call(method.clone(), path).await;
        assert_eq!(reply.error(), (405, "PGRST117"));
        assert_eq!(reply.json()["message"], format!("Unsupported HTTP method: {method}"));
    }
}

// rows: P09
#[tokio::test]
async fn options_needs_no_connection() {
    let school = school().await;
    school.database.close().await;
    for (path, allowed) in [
        ("/tags", "OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE"),
        ("/rpc/add", "OPTIONS,GET,HEAD,POST"),
        ("/", "OPTIONS,GET,HEAD"),
    ] {
        let reply = school.call(Method::OPTIONS, path).await;
        assert_eq!((reply.status, reply.header("allow")), (200, Some(allowed)), "{path}");
    }
}

// rows: P10
#[tokio::test]
async fn odd_names_are_served_percent_encoded() {
    let settings = banyan_rest::Settings {
        schemas: vec!["public".to_owned(), "odd schema".to_owned()],
        ..crate::support::settings()
    };
    let school = crate::support::reading_with(settings).await;
    let table = "/%C3%9Cn%C3%AF;%20table";
    for (query, expected) in [
        ("select=%22a.b%22", json!({"a.b": 1})),
        ("select=%22(x)%22&%22(x)%22=eq.p", json!({"(x)": "p"})),
        ("select=%22say%20%5C%22hi%5C%22%22", json!({"say \"hi\"": "q"})),
        ("select=x-y&x-y=gt.4&order=x-y", json!({"x-y": 5})),
        ("select=select&order=select", json!({"select": "s"})),
        ("select=पाठ&पाठ=eq.एक", json!({"पाठ": "एक"})),
        ("select=$cost&$cost=eq.9", json!({"$cost": 9})),
        ("select=%22back%5C%5Cslash%22", json!({"back\\slash": "b"})),
    ] {
        assert_eq!(school.get(&format!("{table}?{query}")).await.ok(), json!([expected]), "{query}");
    }
    assert_eq!(school.get("/rpc/odd%3B%20function").await.ok(), json!(7));
    let odd = school.call(Method::GET, "/in").header("accept-profile", "odd schema").await;
    assert_eq!(odd.ok(), json!([{"id": 1}]));
}

// rows: Y01
#[tokio::test]
async fn options_names_the_methods() {
    let school = school().await;
    for (path, allowed) in [
        ("/lessons", "OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE"),
        ("/log", "OPTIONS,GET,HEAD,POST,PATCH,DELETE"),
        ("/lesson_counts", "OPTIONS,GET,HEAD"),
        ("/rpc/add", "OPTIONS,GET,HEAD,POST"),
        ("/rpc/write_log", "OPTIONS,POST"),
        ("/", "OPTIONS,GET,HEAD"),
    ] {
        let reply = school.call(Method::OPTIONS, path).await;
        assert_eq!((reply.status, reply.header("allow")), (200, Some(allowed)), "{path}");
    }
}
