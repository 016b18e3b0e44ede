//! What the official client sends (CONTRACT.md CL1 to CL6).

use banyan_rest::{Settings, settings::TransactionEnd};
use http::Method;
use serde_json::{Value, json};

use crate::{
    studio::{studio, studio_with},
    support::{Preferring, settings},
};

// rows: CL1
#[tokio::test]
async fn profiles_and_content_types_come_with_every_request() {
    let school = studio().await;
    let get = school
        .call(Method::GET, "/tags?select=*")
        .header("accept-profile", "public")
        .header("x-client-info", "supabase-js-node/2.0.0")
        .header("apikey", "key")
        .header("authorization", "Bearer key");
    assert_eq!(get.await.status, 200);
    let delete = school
        .call(Method::DELETE, "/papers?id=eq.1")
        .header("content-profile", "public")
        .header("content-type", "application/json");
    assert_eq!(delete.await.status, 204);
}

// rows: CL2
#[tokio::test]
async fn bulk_inserts_and_upserts_name_their_columns_in_quotes() {
    let school = studio().await;
    let rows = json!([{"id": 1, "code": "a"}, {"id": 2}]);
    let path = "/papers?columns=\"id\",\"code\"&select=id,code";
    let bulk = school.post(path, rows.clone()).prefer("return=representation").await;
    assert_eq!(bulk.json(), json!([{"id": 1, "code": "A"}, {"id": 2, "code": null}]));
    let defaults =
        school.post("/exams?columns=\"id\",\"mark\"&select=mark", json!([{"id": 1}, {"id": 2, "mark": 2}]));
    let defaults = defaults.prefer("return=representation").prefer("missing=default").await;
    assert_eq!(defaults.json(), json!([{"mark": 7}, {"mark": 2}]));
    let upsert = school
        .post("/papers?on_conflict=id&columns=\"id\",\"code\"&select=*", rows)
        .prefer("resolution=merge-duplicates,return=representation,count=exact");
    let upsert = upsert.await;
    assert_eq!((upsert.status, upsert.header("content-range")), (200, Some("*/2")));
}

// rows: CL3
#[tokio::test]
async fn single_explain_max_affected_and_rollback_are_understood() {
    let allowed = Settings {
        plans: true,
        transaction_end: TransactionEnd { rollback: false, choice: true },
        ..settings()
    };
    let school = studio_with(allowed).await;
    let accept = |path: &str, accept: &str| school.call(Method::GET, path).header("accept", accept);
    let single = accept("/tags?id=eq.1", "application/vnd.pgrst.object+json").await;
    assert_eq!(single.ok(), json!({"id": 1, "label": "new"}));
    let text = accept("/tags", "application/vnd.pgrst.plan+text; for=\"application/json\"; options=;").await;
    assert_eq!((text.status, text.text().contains("cost=")), (200, true));
    let json = accept(
        "/tags",
        "application/vnd.pgrst.plan+json; for=\"application/vnd.pgrst.object+json\"; options=analyze|verbose|settings|buffers|wal;",
    );
    assert!(json.await.json()[0]["Plan"].is_object());
    let affected =
        school.call(Method::DELETE, "/chapters").prefer("handling=strict").prefer("max-affected=1");
    assert_eq!(affected.await.error(), (400, "PGRST124"));
    let rollback =
        school.post("/papers", json!({"id": 5})).prefer("return=representation").prefer("tx=rollback");
    let rollback = rollback.await;
    assert_eq!(
        (rollback.status, rollback.header("preference-applied")),
        (201, Some("return=representation, tx=rollback"))
    );
    assert_eq!(school.get("/papers?id=eq.5").await.ok(), json!([]));
}

// rows: CL4
#[tokio::test]
async fn calls_carry_arrays_as_literals_and_minimal_returns() {
    let school = studio().await;
    assert_eq!(school.get("/rpc/echo_list?list={1,2}").await.ok(), json!([1, 2]));
    let head = school.call(Method::HEAD, "/rpc/lessons_of?subject=2").prefer("count=exact").await;
    assert_eq!((head.status, head.header("content-range")), (200, Some("0-1/2")));
    let minimal = school.post("/rpc/echo_json", json!({"doc": {"a": 1}})).prefer("return=minimal").await;
    assert_eq!((minimal.status, minimal.header("preference-applied")), (200, None));
    let void = school.post("/rpc/nothing", json!({})).prefer("return=minimal").await;
    assert_eq!((void.status, void.text()), (204, ""));
}

// rows: CL5 CL6
#[tokio::test]
async fn counts_and_errors_have_the_form_the_client_reads() {
    let school = studio().await;
    let counted = school.call(Method::HEAD, "/lessons?select=*").prefer("count=exact").await;
    let total = counted
        .header("content-range")
        .and_then(|range| range.split_once('/'))
        .map(|(_, total)| total.to_owned());
    assert_eq!(total.as_deref(), Some("4"));
    let missing = school.get("/nope").await;
    assert!(missing.json().is_object(), "an array or nothing would read as success: {}", missing.text());
    let head = school.call(Method::GET, "/rpc/nope").header("x-retry-count", "2").await;
    assert_eq!(head.error().0, 404);
    let wait = school.post("/rpc/fail_with", json!({"code": "57P01", "message": "going down"})).await;
    let seconds = wait.header("retry-after").and_then(|it| it.parse::<u32>().ok());
    assert_eq!((wait.status, seconds), (503, Some(1)));
    assert_eq!(wait.json()["details"], Value::Null);
}
