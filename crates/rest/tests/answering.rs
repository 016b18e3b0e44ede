//! Errors, tokens, media types, schemas (CONTRACT.md N01 to N08, T06 to T26, X01 to X07, K01 to
//! K06, Q01, Q02).

use banyan_identity::TokenError;
use http::Method;
use serde_json::json;

use crate::support::{school, school_with, settings};

// rows: X01 X02
#[tokio::test]
async fn errors_have_four_keys_and_their_headers() {
    let school = school().await;
    let reply = school.get("/lessons?id=eq.x").await;
    assert_eq!(
        reply.text(),
        r#"{"code":"22P02","details":null,"hint":null,"message":"invalid input syntax for type integer: \"x\""}"#
    );
    assert_eq!(reply.header("content-type"), Some("application/json; charset=utf-8"));
    assert_eq!(reply.header("proxy-status"), Some("PostgREST; error=22P02"));
    assert_eq!(reply.header("content-length"), Some(reply.text().len().to_string().as_str()));
}

// rows: X05 X06 X07
#[tokio::test]
async fn functions_may_choose_their_error() {
    let school = school().await;
    let fail = |kind: &str| school.post("/rpc/fail", json!({"kind": kind}));
    let plain = fail("plain").await;
    assert_eq!(plain.status, 400);
    assert_eq!(plain.json(), json!({"code": "P0001", "details": "d", "hint": "h", "message": "plain"}));
    assert_eq!(fail("pt").await.error(), (418, "PT418"));
    let own = fail("pgrst").await;
    assert_eq!((own.status, own.header("x-why")), (410, Some("because")));
    assert_eq!(own.json(), json!({"code": "X1", "details": "d", "hint": "h", "message": "gone"}));
    let bad = fail("pgrst-bad").await;
    assert_eq!(bad.error(), (500, "PGRST121"));
    assert_eq!(bad.json()["details"], "Invalid JSON value for MESSAGE: 'no json'");
}

// rows: T06 T26 T28
#[tokio::test]
async fn refused_tokens_come_before_everything_else() {
    let school = school().await;
    for (error, code, message) in [
        (TokenError::Empty, "PGRST301", "Empty JWT is sent in Authorization header"),
        (TokenError::Parts(2), "PGRST301", "Expected 3 parts in JWT; got 2"),
        (TokenError::Signature, "PGRST301", "JWT cryptographic operation failed"),
        (TokenError::NoKey, "PGRST301", "No suitable key or wrong key type"),
        (TokenError::Algorithm("none".to_owned()), "PGRST301", "Wrong or unsupported encoding algorithm"),
        (TokenError::Claims, "PGRST303", "Parsing claims failed"),
        (TokenError::Purpose, "PGRST303", "JWT is for another purpose"),
        (TokenError::Expired, "PGRST303", "JWT expired"),
        (TokenError::NotYetValid, "PGRST303", "JWT not yet valid"),
        (TokenError::IssuedInFuture, "PGRST303", "JWT issued at future"),
        (TokenError::NotANumber("exp"), "PGRST303", "The JWT 'exp' claim must be a number"),
    ] {
        let reply = school.call(Method::GET, "/no/such/path").identified(Err(error)).await;
        assert_eq!(reply.error(), (401, code));
        assert_eq!(reply.json()["message"], message);
        let challenge = format!("Bearer error=\"invalid_token\", error_description=\"{message}\"");
        assert_eq!(reply.header("www-authenticate"), Some(challenge.as_str()));
    }
    let other_scheme = school.call(Method::GET, "/tags").identified(Err(TokenError::Scheme)).await;
    assert_eq!(other_scheme.status, 200, "rest_t01");
}

// rows: T22 T24
#[tokio::test]
async fn unknown_roles_and_missing_privileges() {
    let school = school().await;
    let nobody = banyan_testkit::caller("nobody_known", None, json!({}));
    let unknown = school.call(Method::GET, "/tags").by(nobody).await;
    assert_eq!(unknown.error(), (401, "22023"));
    let anonymous = school.get("/log").await;
    assert_eq!(anonymous.error(), (401, "42501"));
    assert_eq!(anonymous.header("www-authenticate"), Some("Bearer"));
    assert_eq!(school.get("/rpc/private").await.error(), (401, "42501"), "rest_c32");
    let user = banyan_testkit::user(uuid::Uuid::from_u128(1));
    let known = school.call(Method::GET, "/rpc/private").by(user).await;
    assert_eq!(known.error(), (403, "42501"));
}

// rows: N01 N02 N04 N05 N06 N07 N08
#[tokio::test]
async fn the_answer_has_the_media_type_asked_for() {
    let school = school().await;
    let ask = |accept: &str, path: &str| school.call(Method::GET, path).header("accept", accept);
    for (accept, content_type, text) in [
        ("*/*", "application/json; charset=utf-8", r#"[{"id":1,"text":null}]"#),
        (
            "text/html,application/xhtml+xml,*/*;q=0.8",
            "application/json; charset=utf-8",
            r#"[{"id":1,"text":null}]"#,
        ),
        (
            "text/csv;q=0.5, application/json;q=0.9",
            "application/json; charset=utf-8",
            r#"[{"id":1,"text":null}]"#,
        ),
        (
            "application/vnd.pgrst.object",
            "application/vnd.pgrst.object+json; charset=utf-8",
            r#"{"id":1,"text":null}"#,
        ),
        (
            "application/vnd.pgrst.object+json;nulls=stripped",
            "application/vnd.pgrst.object+json;nulls=stripped; charset=utf-8",
            r#"{"id":1}"#,
        ),
        (
            "application/vnd.pgrst.array+json;nulls=stripped",
            "application/vnd.pgrst.array+json;nulls=stripped; charset=utf-8",
            r#"[{"id":1}]"#,
        ),
        ("text/csv", "text/csv; charset=utf-8", "id,text\n1,"),
    ] {
        let reply = ask(accept, "/tags?select=id,text:id::text&id=eq.1").await;
        let nullable = ask(accept, "/lessons?select=id,text:words&id=eq.3").await;
        assert_eq!(reply.header("content-type"), Some(content_type), "{accept}");
        assert_eq!(nullable.text(), text.replace("\"id\":1", "\"id\":3").replace("\n1,", "\n3,"), "{accept}");
    }
    let none = ask("text/unknown, image/png", "/tags").await;
    assert_eq!(none.error(), (406, "PGRST107"));
    assert_eq!(none.json()["message"], "None of these media types are available: text/unknown, image/png");
    let two = ask("application/vnd.pgrst.object+json", "/tags").await;
    assert_eq!(two.error(), (406, "PGRST116"));
    assert_eq!(two.json()["details"], "The result contains 2 rows");
    let written = school.post("/tags", json!({"id": 9})).header("accept", "image/png").await;
    assert_eq!(written.error(), (406, "PGRST107"), "rest_n20");
    assert_eq!(school.get("/tags").await.header("vary"), Some("Accept, Prefer, Range"));
}

// rows: K01 K06
#[tokio::test]
async fn schemas_are_chosen_by_profile() {
    let mut two = settings();
    two.schemas.push("hidden".to_owned());
    let school = school_with(two).await;
    school.sql("grant usage on schema hidden to anon; grant insert on hidden.secrets to anon;").await;
    let first = school.get("/tags").await;
    assert_eq!(first.header("content-profile"), Some("public"));
    let secret = school.call(Method::GET, "/secrets").header("accept-profile", "hidden").await;
    assert_eq!(
        (secret.ok(), secret.header("content-profile")),
        (json!([{"id": 1, "word": "hush"}]), Some("hidden"))
    );
    let written = school.post("/secrets", json!({"id": 2})).header("content-profile", "hidden").await;
    assert_eq!(written.status, 201, "{}", written.text());
    assert_eq!(school.get("/secrets").await.error(), (404, "PGRST205"));
    let other = school.call(Method::GET, "/tags").header("accept-profile", "auth").await;
    assert_eq!(other.error(), (406, "PGRST106"));
    assert_eq!(other.json()["hint"], "Only the following schemas are exposed: public, hidden");
}

// rows: Q01 Q02
#[tokio::test]
async fn the_root_document_shows_what_the_caller_may_see() {
    let school = school().await;
    let reply = school.get("/").await;
    let document = reply.ok();
    assert_eq!(reply.header("content-type"), Some("application/openapi+json; charset=utf-8"));
    assert_eq!(document["swagger"], "2.0");
    assert_eq!(document["host"], "127.0.0.1:54321");
    assert_eq!(document["basePath"], "/rest/v1");
    let title = &document["definitions"]["lessons"]["properties"]["title"];
    assert_eq!(
        title,
        &json!({"description": "Shown to pupils", "format": "character varying", "maxLength": 40, "type": "string"})
    );
    assert_eq!(
        document["definitions"]["chapters"]["properties"]["lesson_id"]["description"],
        "Note:\nThis is a Primary Key.<pk/>\nThis is a Foreign Key to `lessons.id`.<fk table='lessons' column='id'/>"
    );
    assert_eq!(document["definitions"]["lessons"]["properties"]["level"]["enum"], json!(["easy", "hard"]));
    assert_eq!(document["definitions"]["lessons"]["required"], json!(["id", "title"]));
    assert_eq!(document["paths"]["/lessons"]["get"]["summary"], "Lessons");
    assert!(document["paths"]["/lessons"]["patch"].is_object());
    assert!(document["paths"]["/lesson_counts"]["patch"].is_null());
    assert!(document["paths"]["/rpc/add"]["get"].is_object());
    assert!(document["paths"]["/rpc/write_log"]["get"].is_null());
    assert!(document["paths"]["/rpc/private"].is_null(), "rest_v08");
    school.sql("revoke all on public.plans from anon").await;
    assert!(school.get("/").await.ok()["definitions"]["plans"].is_null());
    let wrong = school.call(Method::GET, "/").header("accept", "text/csv").await;
    assert_eq!(wrong.error(), (406, "PGRST107"));
    let head = school.call(Method::HEAD, "/").await;
    assert_eq!((head.status, head.text()), (200, ""));
}
