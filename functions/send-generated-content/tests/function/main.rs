//! The function as a client calls it, in a project of the test's own.

#[path = "../../../_shared/tests/support/mail_once.rs"]
mod project;

use banyan_functions::error::{Failure as _, FunctionError};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use project::{FakeProject, SENDER, call, call_as, env};
use send_generated_content::send;
use serde_json::{Value, json};

const OWN: &str = "asha@school.example";

fn body() -> Value {
    json!({ "email": "thief@example.com", "content": "LESSON PLAN", "filename": "lesson-plan-1.rtf",
            "type": "Lesson Plan", "documentContent": STANDARD.encode("{\\rtf1 x}") })
}

async fn answer(project: &FakeProject, body: &Value) -> Result<Value, FunctionError> {
    send(&call(OWN, body), project, &env()).await
}

// rows: app/S-391
#[tokio::test]
async fn the_document_goes_to_the_tokens_own_address_whatever_the_body_says() {
    let project = FakeProject::answering("claimed", &[202]);
    assert_eq!(answer(&project, &body()).await, Ok(json!({ "success": true })));
    let mails = project.mails.borrow();
    assert_eq!(mails.len(), 1);
    assert_eq!(mails[0]["to"], OWN);
    assert_eq!(mails[0]["subject"], "Lesson Plan: lesson-plan-1.rtf");
    assert_eq!(mails[0]["idempotency_key"], "m-1");
    let file = &mails[0]["attachments"][0];
    assert_eq!(
        (&file["filename"], &file["content_type"]),
        (&json!("lesson-plan-1.rtf"), &json!("application/rtf"))
    );
    assert_eq!(file["content"], body()["documentContent"]);
    let text = mails[0]["text"].as_str().unwrap();
    assert!(text.contains("LESSON PLAN") && text.contains("Shikshak Saathi"), "{text}");
    assert!(!project.mails.borrow()[0].to_string().contains("thief"));
    let claim = &project.claims.borrow()[0];
    assert_eq!((&claim["sender"], &claim["recipient"]), (&json!(SENDER), &json!(OWN)));
    assert_eq!((&claim["kind"], claim["request_key"].as_str().map(str::len)), (&json!("document"), Some(64)));
}

// rows: app/S-391
#[tokio::test]
async fn equal_documents_have_one_key_and_a_clients_own_key_is_taken() {
    let project = FakeProject::answering("claimed", &[202]);
    let mut other = body();
    other["content"] = json!("ANOTHER");
    for body in [body(), body(), other] {
        answer(&project, &body).await.unwrap();
    }
    let mut keyed = call(OWN, &body());
    keyed.headers.insert("idempotency-key", "mine".parse().unwrap());
    send(&keyed, &project, &env()).await.unwrap();
    let claims = project.claims.borrow();
    let keys: Vec<&Value> = claims.iter().map(|claim| &claim["request_key"]).collect();
    assert_eq!(keys[0], keys[1]);
    assert_ne!(keys[0], keys[2]);
    assert_eq!(keys[3], "mine");
}

// rows: app/S-391
#[tokio::test]
async fn a_broken_handing_over_is_tried_again_under_the_same_key() {
    let project = FakeProject::answering("claimed", &[503, 500, 202]);
    assert!(answer(&project, &body()).await.is_ok());
    let mails = project.mails.borrow();
    assert_eq!(mails.len(), 3);
    assert!(mails.iter().all(|mail| mail == &mails[0]), "one message, three tries");
}

// rows: app/S-390
#[tokio::test]
async fn what_the_project_refuses_is_refused_in_a_sentence_and_not_mailed() {
    for (outcome, status, code) in [
        ("rate_limited", 429, "rate_limited"),
        ("not_own_address", 400, "invalid_request"),
        ("forbidden", 403, "forbidden"),
        ("something new", 503, "busy"),
    ] {
        let project = FakeProject::answering(outcome, &[202]);
        let refusal = answer(&project, &body()).await.unwrap_err();
        assert_eq!((refusal.status().as_u16(), refusal.code()), (status, code), "{outcome}");
        assert!(project.mails.borrow().is_empty(), "{outcome}");
        assert_eq!(refusal.body("r")["success"], false);
    }
}

// rows: app/S-390
#[tokio::test]
async fn a_queue_that_does_not_take_it_is_busy_and_another_mail_under_the_key_is_a_reuse() {
    for (status, code, tries) in [(503, "busy", 3), (400, "busy", 1), (409, "idempotency_key_reused", 1)] {
        let project = FakeProject::answering("claimed", &[status]);
        assert_eq!(answer(&project, &body()).await.unwrap_err().code(), code);
        assert_eq!(project.mails.borrow().len(), tries, "{status}");
    }
}

// rows: app/S-391
#[tokio::test]
async fn nobody_without_an_account_and_an_address_sends_anything() {
    let user = json!({ "role": "authenticated", "sub": SENDER });
    for (claims, code) in [
        (json!({ "role": "anon", "email": OWN }), "unauthenticated"),
        (json!({ "role": "service_role", "email": OWN }), "unauthenticated"),
        (user, "invalid_request"),
    ] {
        let project = FakeProject::answering("claimed", &[202]);
        let refusal = send(&call_as(&claims, &body()), &project, &env()).await.unwrap_err();
        assert_eq!(refusal.code(), code, "{claims}");
        assert!(project.claims.borrow().is_empty() && project.mails.borrow().is_empty(), "{claims}");
    }
}
