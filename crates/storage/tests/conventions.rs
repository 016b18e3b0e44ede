//! Tokens, routes, bodies of requests, times.

use http::Method;
use serde_json::{Value, json};

use crate::support::{ASHA, Done, Stage, Who, assert_error};

const NO_TOKEN: [&str; 4] = ["403", "Unauthorized", "AccessDenied", "Invalid Compact JWS"];

// rows: C03 C04 AccessDenied
#[tokio::test]
async fn a_request_without_a_right_token_is_refused_in_the_words_of_the_library() {
    let stage = Stage::new().await;
    assert_error(&stage.get("/bucket").await, 400, NO_TOKEN);
    for value in ["", "Bearer", "Bearer not-a-token", "Basic YTpi"] {
        let answer = stage.get("/bucket").header("authorization", value).await;
        assert_error(&answer, 400, NO_TOKEN);
    }
    let token = banyan_testkit::token("authenticated", Some(ASHA), Value::Null);
    let (head, signature) = token.rsplit_once('.').unwrap();
    let flipped: String = signature.chars().rev().collect();
    let tampered = stage.get("/bucket").bearer(&format!("{head}.{flipped}")).await;
    assert_error(&tampered, 400, ["403", "Unauthorized", "AccessDenied", "signature verification failed"]);
    let old = banyan_testkit::token("authenticated", Some(ASHA), json!({"exp": 1_700_000_100}));
    let old = stage.get("/bucket").bearer(&old).await;
    let message = "\"exp\" claim timestamp check failed";
    assert_error(&old, 400, ["403", "Unauthorized", "AccessDenied", message]);
}

// rows: C02 C03
#[tokio::test]
async fn a_token_names_role_and_owner_with_and_without_the_word_bearer() {
    let stage = Stage::new().await;
    stage.sql("create policy any_bucket on storage.buckets for all to authenticated using (true)").await;
    let token = banyan_testkit::token("authenticated", Some(ASHA), Value::Null);
    for (name, value) in [("a", format!("Bearer {token}")), ("b", format!("bearer {token}")), ("c", token)] {
        let call = stage.post("/bucket", json!({"name": name})).header("authorization", &value);
        assert_eq!(call.await.status, 200, "{value}");
    }
    let owners = stage.number("select count(*) from storage.buckets where owner_id = owner::text").await;
    assert_eq!(owners, 3);
}

// rows: C01 E05
#[tokio::test]
async fn unknown_routes_are_told_as_such() {
    let stage = Stage::new().await;
    for (method, path) in [
        (Method::PATCH, "/bucket"),
        (Method::GET, "/bucket/a/b/c"),
        (Method::POST, "/health"),
        (Method::POST, "/cdn"),
        (Method::GET, "/object"),
    ] {
        let answer = stage.by(Who::Service, method.clone(), path).await;
        let message = format!("Route {method}:{path} not found");
        assert_error(&answer, 404, ["404", "Not Found", "InvalidRequest", &message]);
    }
    let root = stage.get("/nowhere").await;
    let expected =
        json!({"statusCode": 404, "error": "Not Found", "message": "Route GET:/nowhere not found"});
    assert_eq!((root.status, root.json()), (404, expected));
}

// rows: M09 FeatureNotEnabled
#[tokio::test]
async fn groups_that_are_not_offered_say_so() {
    let stage = Stage::new().await;
    for path in ["/iceberg/bucket", "/iceberg/v1/config", "/vector/CreateIndex"] {
        let answer = stage.by(Who::Service, Method::POST, path).await;
        assert_eq!(answer.error(), (400, "FeatureNotEnabled"), "{path}");
    }
    let bucket = stage.post_by(Who::Service, "/bucket", json!({"name": "a", "type": "ANALYTICS"})).await;
    assert_eq!(bucket.error(), (400, "FeatureNotEnabled"));
}

// rows: M02 M03 M04 C09
#[tokio::test]
async fn the_service_tells_that_it_runs() {
    let stage = Stage::new().await;
    for method in [Method::GET, Method::HEAD] {
        let status = stage.call(method, "/status").await;
        assert_eq!((status.status, status.bytes.len()), (200, 0));
    }
    assert_eq!(stage.get("/version").await.text(), env!("CARGO_PKG_VERSION"));
    assert_error(&stage.get("/health").await, 400, NO_TOKEN);
    assert_eq!(stage.get_by(Who::Anon, "/health").await.ok(), json!({"healthy": true}));
    let head = stage.by(Who::Service, Method::HEAD, "/object/nothing/a.txt").await;
    assert_eq!((head.status, head.bytes.len()), (400, 0));
}

// rows: M01 MissingParameter
#[tokio::test]
async fn no_cache_before_the_stack_can_be_purged() {
    let stage = Stage::new().await;
    for path in ["/cdn", "/cdn/a", "/cdn/a/b.png?transformations=true"] {
        let answer = stage.by(Who::Service, Method::DELETE, path).await;
        assert_eq!(answer.error(), (400, "MissingParameter"), "{path}");
        let answer = stage.by(Who::User(ASHA), Method::DELETE, path).await;
        assert_error(&answer, 403, ["403", "Unauthorized", "AccessDenied", "Access denied: Invalid role"]);
    }
}

// rows: E03 C07
#[tokio::test]
async fn a_body_of_a_wrong_shape_is_told_what_is_wrong() {
    let stage = Stage::new().await;
    for (path, body, message) in [
        ("/bucket", json!({}), "body must have required property 'name'"),
        ("/bucket", json!([]), "body must be object"),
        ("/bucket", json!({"name": "a", "public": "maybe"}), "body/public must be boolean"),
        ("/object/sign/a/b", json!({"expiresIn": 0}), "body/expiresIn must be >= 1"),
        ("/object/sign/a/b", json!({}), "body must have required property 'expiresIn'"),
        (
            "/object/sign/a",
            json!({"expiresIn": 1, "paths": []}),
            "body/paths must NOT have fewer than 1 items",
        ),
        ("/object/list/a", json!({}), "body must have required property 'prefix'"),
        ("/object/copy", json!({"bucketId": "a"}), "body must have required property 'sourceKey'"),
        (
            "/object/list/a",
            json!({"prefix": "", "sortBy": {"column": "size"}}),
            "body/sortBy/column must be equal to one of the allowed values",
        ),
    ] {
        let answer = stage.post_by(Who::Service, path, body).await;
        assert_error(&answer, 400, ["400", "Error", "InvalidRequest", message]);
    }
    let broken = stage.by(Who::Service, Method::POST, "/bucket").body("application/json", "{").await;
    assert_eq!(broken.error(), (400, "InvalidRequest"));
    let query = stage.get_by(Who::Service, "/bucket?limit=few").await;
    assert_error(&query, 400, ["400", "Error", "InvalidRequest", "querystring/limit must be integer"]);
}

// rows: E04 C07 InvalidMimeType
#[tokio::test]
async fn a_body_is_json_or_where_that_is_usual_nothing() {
    let stage = Stage::new().await;
    let form = stage.by(Who::Service, Method::POST, "/bucket").body("application/xml", "<name/>").await;
    assert_error(&form, 400, ["415", "invalid_mime_type", "InvalidMimeType", "Invalid Content-Type header"]);
    let empty = stage.by(Who::Service, Method::POST, "/bucket").body("application/json", "").await;
    assert_eq!(empty.error(), (400, "InvalidRequest"));
    for body in ["", "{}"] {
        stage.bucket("a", false).await;
        let call = |method, path| stage.by(Who::Service, method, path).body("application/json", body);
        assert_eq!(call(Method::POST, "/bucket/a/empty").await.status, 200, "{body}");
        assert_eq!(call(Method::DELETE, "/bucket/a").await.status, 200, "{body}");
    }
    stage.bucket("a", false).await;
    assert_eq!(stage.by(Who::Service, Method::POST, "/bucket/a/empty").await.status, 200);
    assert_eq!(stage.by(Who::Service, Method::DELETE, "/bucket/a").await.status, 200);
}

// rows: E03
#[tokio::test]
async fn a_body_of_json_has_an_end() {
    let stage = Stage::new().await;
    let body = format!("{{\"name\": \"{}\"}}", "x".repeat(3 * 1024 * 1024));
    let answer = stage.by(Who::Service, Method::POST, "/bucket").body("application/json", body).await;
    assert_eq!(answer.error(), (413, "EntityTooLarge"));
}

// rows: E01 E02 B8
#[tokio::test]
async fn errors_have_their_real_status_only_where_that_is_set() {
    let missing = "/bucket/nothing";
    let answer = Stage::new().await.get_by(Who::Service, missing).await;
    assert_error(&answer, 400, ["404", "Bucket not found", "NoSuchBucket", "Bucket not found"]);
    let stage = Stage::changed(|storage| storage.real_status_codes = true).await;
    let answer = stage.get_by(Who::Service, missing).await;
    assert_error(&answer, 404, ["404", "Bucket not found", "NoSuchBucket", "Bucket not found"]);
}

// rows: C13 InvalidRequest
#[tokio::test]
async fn a_size_may_have_a_unit() {
    let stage = Stage::new().await;
    let body = |size: &str| json!({"name": "a", "file_size_limit": size});
    let answer = stage.post_by(Who::Service, "/bucket", body("20MiB")).await;
    let message = "Invalid file size format, hint: use 20GB / 20MB / 30KB / 3B";
    assert_error(&answer, 400, ["400", "InvalidRequest", "InvalidRequest", message]);
    stage.post_by(Who::Service, "/bucket", body("20mb")).await.done();
    assert_eq!(stage.get_by(Who::Service, "/bucket/a").await["file_size_limit"], 20_000_000);
}
