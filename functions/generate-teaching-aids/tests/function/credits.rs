//! The life of a deduction as this function lives it; the path is that of every tool (D01 to D09).

use banyan_functions::error::FunctionError;
use banyan_functions::service::generate;
use banyan_functions::wallet::Claim;
use generate_teaching_aids::TeachingAids;
use serde_json::json;

use crate::fakes::{answer, body, built_in};
use crate::paid::{Event, FakeWallet, NOW, Offline, USER, call, call_as};

#[tokio::test]
async fn d01_a_set_is_claimed_made_stored_and_delivered() {
    let wallet = FakeWallet::paid();
    let result = answer(&body(10, "Science", "Electricity", &["quiz"], 1), &wallet).await.unwrap();
    let events = wallet.events.borrow();
    let Event::Claimed { tool, owner, .. } = &events[0] else { panic!("no claim") };
    assert_eq!((tool.as_str(), owner.as_str()), ("generate-teaching-aids", USER));
    assert_eq!(events[1], Event::Completed(result));
    assert_eq!(events.len(), 2);
}

#[tokio::test]
async fn d08_equal_requests_in_other_forms_have_one_key_and_the_output_type_is_no_part_of_it() {
    let key = async |body| {
        let wallet = FakeWallet::paid();
        answer(&body, &wallet).await.unwrap();
        let Event::Claimed { key, .. } = wallet.events.borrow()[0].clone() else { panic!("no claim") };
        key
    };
    let plain = body(10, "Science", "Electricity", &["games", "quiz"], 3);
    let mut other = plain.clone();
    other["grade"] = json!("Class X");
    other["aidTypes"] = json!(["Quiz", "Educational Games"]);
    other["numberOfPages"] = json!("");
    other["outputType"] = json!("email");
    assert_eq!(key(plain.clone()).await, key(other).await);
    let mut later = plain.clone();
    later["preferredFormat"] = json!("rtf");
    assert_ne!(key(plain).await, key(later).await);
}

#[tokio::test]
async fn nothing_is_claimed_for_a_caller_or_a_request_that_is_refused() {
    let good = body(10, "Science", "Electricity", &["quiz"], 1);
    let mut bad = good.clone();
    bad["numberOfPages"] = json!(99);
    let mut unsafe_request = good.clone();
    unsafe_request["learningObjectives"] = json!("How to make a bomb at home");
    let anon = json!({ "role": "anon" });
    let calls = [
        (call_as(&anon, &good), "unauthenticated"),
        (call(&bad), "invalid_request"),
        (call(&unsafe_request), "unsafe_request"),
    ];
    for (incoming, code) in calls {
        let wallet = FakeWallet::paid();
        let refusal =
            generate::<TeachingAids>(&incoming, &Offline::default(), &wallet, &built_in(), NOW).await;
        assert_eq!(refusal.unwrap_err().code(), code);
        assert!(wallet.events.borrow().is_empty(), "{code}");
    }
}

#[tokio::test]
async fn d04_a_dry_run_says_before_the_charge_how_it_would_be_made() {
    let wallet = FakeWallet::default();
    let mut request = body(10, "Science", "Electricity", &["quiz"], 1);
    let made = answer(&request, &FakeWallet::paid()).await.unwrap();
    request["dryRun"] = json!(true);
    let forecast = answer(&request, &wallet).await.unwrap();
    assert_eq!(forecast["meta"]["label"], made["data"]["label"]);
    assert_eq!(forecast["meta"]["warnings"], made["meta"]["warnings"]);
    assert_eq!(forecast.get("documentContent"), None);
    assert!(wallet.events.borrow().is_empty(), "nothing is claimed");
}

#[tokio::test]
async fn d01_without_an_open_deduction_nothing_is_made() {
    let wallet = FakeWallet::answering([Claim::Insufficient]);
    let refusal = answer(&body(10, "Science", "Electricity", &["quiz"], 1), &wallet).await;
    assert_eq!(refusal, Err(FunctionError::InsufficientCredits));
    assert_eq!(wallet.events.borrow().len(), 1);
}
