//! The function as a client calls it, in a project of the test's own.

#[path = "../../../_shared/tests/support/mail_once.rs"]
mod project;

use banyan_functions::error::{Failure as _, FunctionError, FunctionRefusal};
use project::{FakeProject, SENDER, call, call_as, env};
use send_credit_notification::notify;
use serde_json::{Value, json};

fn body() -> Value {
    json!({ "email": "Ravi@school.example", "newCreditAmount": 120 })
}

async fn answer(project: &FakeProject, body: &Value) -> Result<Value, FunctionError> {
    notify(&call("admin@school.example", body), project, &env()).await
}

// rows: app/S-392
#[tokio::test]
async fn the_account_is_told_its_new_number_of_credits() {
    let project = FakeProject::answering("claimed", &[202]);
    assert_eq!(answer(&project, &body()).await, Ok(json!({ "success": true })));
    let mail = &project.mails.borrow()[0];
    assert_eq!(mail["to"], "ravi@school.example");
    assert_eq!(mail["subject"], "Your Shikshak Saathi credits: 120");
    assert!(mail["text"].as_str().unwrap().contains("You now have 120 credits."));
    let claim = &project.claims.borrow()[0];
    assert_eq!((&claim["sender"], &claim["kind"]), (&json!(SENDER), &json!("credits")));
    assert_eq!(claim["recipient"], "ravi@school.example");
}

// rows: app/S-393
#[tokio::test]
async fn who_is_no_administrator_and_where_is_no_account_is_refused_without_a_mail() {
    for (outcome, status) in [("forbidden", 403), ("unknown_recipient", 400), ("rate_limited", 429)] {
        let project = FakeProject::answering(outcome, &[202]);
        assert_eq!(answer(&project, &body()).await.unwrap_err().status(), status, "{outcome}");
        assert!(project.mails.borrow().is_empty(), "{outcome}");
    }
    let project = FakeProject::answering("claimed", &[202]);
    for claims in [json!({ "role": "anon" }), json!({ "role": "service_role" })] {
        let refusal = notify(&call_as(&claims, &body()), &project, &env()).await;
        assert_eq!(refusal, Err(FunctionError::Refused(FunctionRefusal::Unauthenticated)));
    }
    assert!(project.claims.borrow().is_empty());
}

// rows: app/S-392
#[tokio::test]
async fn the_input_is_an_address_and_a_number() {
    let project = FakeProject::answering("claimed", &[202]);
    for (field, value) in [
        ("email", json!("nobody")),
        ("email", json!("a@b@c")),
        ("email", json!("a@b.example, c@d.example")),
        ("email", json!(null)),
        ("newCreditAmount", json!(-1)),
        ("newCreditAmount", json!("many")),
        ("newCreditAmount", json!(2.5)),
        ("newCreditAmount", json!(null)),
    ] {
        let mut body = body();
        body[field] = value.clone();
        let Err(FunctionError::Refused(FunctionRefusal::InvalidRequest { fields, .. })) =
            answer(&project, &body).await
        else {
            panic!("{field} = {value} is taken")
        };
        assert_eq!(fields.keys().collect::<Vec<_>>(), [field], "{value}");
    }
    assert!(project.claims.borrow().is_empty());
    let mut text = body();
    text["newCreditAmount"] = json!("120");
    assert!(answer(&project, &text).await.is_ok());
}
