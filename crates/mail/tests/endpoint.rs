use banyan_identity::{Caller, Identified, TokenError};
use banyan_mail::{State, handle};
use banyan_web::full;
use base64::{Engine, engine::general_purpose::STANDARD};
use http::Request;
use http_body_util::BodyExt;
use serde_json::{Value, json};

use crate::support::Stage;

async fn post(stage: &Stage, caller: Identified, body: &str) -> (u16, Value) {
    call(stage, caller, Request::post("/messages"), body).await
}

async fn call(
    stage: &Stage,
    caller: Identified,
    request: http::request::Builder,
    body: &str,
) -> (u16, Value) {
    let body = full(body.to_owned());
    let state = State::new(stage.queue.clone());
    let answer = handle(&state, caller, request.body(body).unwrap(), stage.clock.now()).await;
    let status = answer.status().as_u16();
    let bytes = answer.into_body().collect().await.unwrap().to_bytes();
    (status, serde_json::from_slice(&bytes).unwrap())
}

fn body() -> Value {
    json!({
        "to": "asha@example.com",
        "subject": "Lesson plan",
        "text": "Here it is.",
        "attachments": [{
            "filename": "plan.rtf",
            "content_type": "application/rtf",
            "content": STANDARD.encode("{\\rtf1}"),
        }],
    })
}

#[tokio::test]
async fn a_service_key_may_queue_a_message() {
    let stage = Stage::new().await;
    let (status, answer) = post(&stage, Ok(Caller::service()), &body().to_string()).await;
    assert_eq!(status, 202, "{answer}");
    let fate = stage.fate(answer["id"].as_str().unwrap().parse().unwrap()).await;
    assert_eq!((fate.state.as_str(), fate.has_content), ("queued", true));
}

#[tokio::test]
async fn anybody_else_is_refused_and_nothing_is_queued() {
    let stage = Stage::new().await;
    let (status, answer) = post(&stage, Ok(Caller::anonymous()), &body().to_string()).await;
    assert_eq!((status, &answer["code"]), (403, &json!("not_admin")));
    let (status, answer) = post(&stage, Err(TokenError::Expired), &body().to_string()).await;
    assert_eq!((status, &answer["code"]), (401, &json!("no_authorization")));
    let count: i64 =
        sqlx::query_scalar("select count(*) from mail.messages").fetch_one(&stage.pool).await.unwrap();
    assert_eq!(count, 0);
}

#[tokio::test]
async fn a_key_in_field_or_header_makes_the_second_call_a_replay() {
    let stage = Stage::new().await;
    let request = || Request::post("/messages").header("idempotency-key", "plan-7");
    let service = || Ok(Caller::service());
    let (first_status, first) = call(&stage, service(), request(), &body().to_string()).await;
    let (status, second) = call(&stage, service(), request(), &body().to_string()).await;
    assert_eq!((first_status, status), (202, 200));
    assert_eq!(first["id"], second["id"]);
    let mut other = body();
    other["idempotency_key"] = json!("plan-7");
    other["text"] = json!("Another text.");
    let (status, answer) = post(&stage, service(), &other.to_string()).await;
    assert_eq!((status, &answer["code"]), (409, &json!("idempotency_conflict")));
}

#[tokio::test]
async fn bad_bodies_are_named_in_the_answer() {
    let stage = Stage::new().await;
    let cases = [
        (json!({"to": "nobody", "subject": "x", "text": "x"}), "validation_failed", "to"),
        (
            json!({"to": "a@example.com", "subject": "x\r\nBcc: b@example.com", "text": "x"}),
            "validation_failed",
            "subject",
        ),
        (json!({"to": "a@example.com", "subject": "x"}), "validation_failed", "text"),
        (json!({"to": "a@example.com", "subject": "x", "txt": "x"}), "bad_json", "txt"),
        (
            json!({"to": "a@example.com", "subject": "x", "text": "x", "attachments": [
                {"filename": "a", "content_type": "text/plain", "content": "%%%"}]}),
            "validation_failed",
            "attachments.content",
        ),
    ];
    for (body, code, word) in cases {
        let (status, answer) = post(&stage, Ok(Caller::service()), &body.to_string()).await;
        assert_eq!((status, &answer["code"]), (400, &json!(code)), "{answer}");
        assert!(answer["message"].as_str().unwrap().contains(word), "{answer}");
    }
    let (status, answer) = post(&stage, Ok(Caller::service()), "{").await;
    assert_eq!((status, &answer["code"]), (400, &json!("bad_json")));
}

#[tokio::test]
async fn a_body_beyond_the_limit_is_413_and_other_paths_are_404() {
    let stage = Stage::new().await;
    let large = json!({"to": "a@example.com", "subject": "x", "text": "x".repeat(20 * 1024 * 1024)});
    let (status, answer) = post(&stage, Ok(Caller::service()), &large.to_string()).await;
    assert_eq!((status, &answer["code"]), (413, &json!("request_entity_too_large")));
    let (status, _) = call(&stage, Ok(Caller::service()), Request::get("/messages"), "").await;
    assert_eq!(status, 405);
    let (status, _) = call(&stage, Ok(Caller::service()), Request::post("/other"), "").await;
    assert_eq!(status, 404);
}
