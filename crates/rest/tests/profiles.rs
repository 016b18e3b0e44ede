//! Schemas (CONTRACT.md K01 to K06).

use banyan_rest::Settings;
use http::Method;
use serde_json::json;

use crate::support::{School, reading, reading_with, settings};

async fn two_schemas() -> School {
    let schemas = vec!["public".to_owned(), "library".to_owned()];
    let school = reading_with(Settings { schemas, ..settings() }).await;
    school
        .sql(
            "create function library.shelves() returns int immutable language sql as $$ select 3 $$; \
             create table library.shelf (id int primary key); grant all on library.shelf to anon;",
        )
        .await;
    assert!(school.state.load().await);
    school
}

// rows: K01 K05
#[tokio::test]
async fn the_first_schema_is_the_default_and_is_named_where_there_are_several() {
    let school = two_schemas().await;
    let reply = school.get("/rooms?id=eq.1").await;
    assert_eq!(reply.ok(), json!([{"id": 1, "name": "Lab"}]));
    assert_eq!(reply.header("content-profile"), Some("public"));
    assert_eq!(school.get("/books").await.error(), (404, "PGRST205"));
    let one = reading().await;
    assert_eq!(one.get("/rooms").await.header("content-profile"), None);
    let asked = one.call(Method::GET, "/rooms").header("accept-profile", "public").await;
    assert_eq!(asked.header("content-profile"), Some("public"), "negotiated");
}

// rows: K02 K06
#[tokio::test]
async fn reads_name_their_schema_in_one_header_and_writes_in_another() {
    let school = two_schemas().await;
    let read = |method: Method, path: &str| school.call(method, path).header("accept-profile", "library");
    assert_eq!(read(Method::GET, "/books?select=id&order=id").await.ok(), json!([{"id": 1}, {"id": 2}]));
    assert_eq!(read(Method::HEAD, "/books").await.header("content-profile"), Some("library"));
    assert_eq!(read(Method::OPTIONS, "/books").await.status, 200);
    assert_eq!(read(Method::GET, "/rpc/shelves").await.ok(), json!(3));
    let document = read(Method::GET, "/").await.ok();
    assert!(document["definitions"].get("books").is_some() && document["definitions"].get("rooms").is_none());

    let write = |method: Method, path: &str, body| {
        school.call(method, path).header("content-profile", "library").json(body)
    };
    assert_eq!(write(Method::POST, "/shelf", json!({"id": 1})).await.status, 201);
    assert_eq!(write(Method::PATCH, "/shelf?id=eq.1", json!({"id": 2})).await.status, 204);
    assert_eq!(write(Method::PUT, "/shelf?id=eq.2", json!({"id": 2})).await.status, 204);
    assert_eq!(write(Method::DELETE, "/shelf?id=eq.2", json!({})).await.status, 204);
    assert_eq!(write(Method::POST, "/rpc/shelves", json!({})).await.ok(), json!(3));
    let wrong = school.post("/shelf", json!({"id": 1})).header("accept-profile", "library").await;
    assert_eq!(wrong.error(), (404, "PGRST205"), "a write looks at its own header");
    let wrong = school.call(Method::GET, "/books").header("content-profile", "library").await;
    assert_eq!(wrong.error(), (404, "PGRST205"), "and a read at its own");
}

// rows: K04 PGRST106
#[tokio::test]
async fn schemas_that_are_not_shown_are_refused() {
    let school = two_schemas().await;
    for schema in ["hidden", "pg_catalog", ""] {
        let reply = school.call(Method::GET, "/secrets").header("accept-profile", schema).await;
        assert_eq!(reply.error(), (406, "PGRST106"), "{schema}");
        assert_eq!(reply.json()["message"], format!("Invalid schema: {schema}"));
        assert_eq!(reply.json()["hint"], "Only the following schemas are exposed: public, library");
    }
}
