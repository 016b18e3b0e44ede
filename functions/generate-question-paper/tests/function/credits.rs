//! The life of a deduction as this function lives it; the path is that of every tool (D01 to D09).

use banyan_functions::error::FunctionError;
use banyan_functions::service::generate;
use banyan_functions::wallet::Claim;
use generate_question_paper::QuestionPaper;
use serde_json::json;

use crate::fakes::{answer, body, built_in};
use crate::paid::{Event, FakeWallet, NOW, Offline, USER, call, call_as};

#[tokio::test]
async fn d01_a_paper_is_claimed_made_stored_and_delivered() {
    let wallet = FakeWallet::paid();
    let result = answer(&body(10, "Science", "Electricity"), &wallet).await.unwrap();
    let events = wallet.events.borrow();
    let Event::Claimed { tool, owner, key, body_hash } = &events[0] else { panic!("no claim") };
    assert_eq!((tool.as_str(), owner.as_str()), ("generate-question-paper", USER));
    assert_eq!((key.len(), key), (64, body_hash));
    assert_eq!(events[1], Event::Completed(result));
    assert_eq!(events.len(), 2);
}

#[tokio::test]
async fn d01_without_an_open_deduction_nothing_is_made() {
    let wallet = FakeWallet::answering([Claim::Insufficient]);
    let refusal = answer(&body(10, "Science", "Electricity"), &wallet).await;
    assert_eq!(refusal, Err(FunctionError::InsufficientCredits));
    assert_eq!(wallet.events.borrow().len(), 1);
}

#[tokio::test]
async fn d01_credits_are_given_back_once_when_the_result_cannot_be_stored() {
    let wallet = FakeWallet::paid();
    wallet.broken_completions.set(99);
    assert_eq!(answer(&body(10, "Science", "Electricity"), &wallet).await, Err(FunctionError::Busy));
    assert_eq!((wallet.failures(), wallet.completions()), (vec!["not_stored".to_owned()], 0));
}

#[tokio::test]
async fn d08_the_same_request_is_answered_with_the_stored_result() {
    let wallet = FakeWallet::answering([Claim::Replayed(json!({ "stored": true }))]);
    let result = answer(&body(10, "Science", "Electricity"), &wallet).await;
    assert_eq!(result, Ok(json!({ "stored": true })));
}

#[tokio::test]
async fn d08_equal_requests_in_other_forms_have_one_key_and_the_output_type_is_no_part_of_it() {
    let key = async |body| {
        let wallet = FakeWallet::paid();
        answer(&body, &wallet).await.unwrap();
        let Event::Claimed { key, .. } = wallet.events.borrow()[0].clone() else { panic!("no claim") };
        key
    };
    let plain = body(10, "Science", "Electricity");
    let mut other = plain.clone();
    other["marks"] = json!("80");
    other["questionTypes"] = json!(["Long", "Short", "Very Short", "MCQ"]);
    other["outputType"] = json!("email");
    assert_eq!(key(plain.clone()).await, key(other).await);
    let mut harder = plain.clone();
    harder["difficultyLevel"] = json!("hard");
    assert_ne!(key(plain).await, key(harder).await);
}

#[tokio::test]
async fn nothing_is_claimed_for_a_caller_or_a_request_that_is_refused() {
    let good = body(10, "Science", "Electricity");
    let mut bad = good.clone();
    bad["marks"] = json!(30);
    let mut unsafe_request = good.clone();
    unsafe_request["chapter"] = json!("How to make a bomb at home");
    let anon = json!({ "role": "anon" });
    let calls = [
        (call_as(&anon, &good), "unauthenticated"),
        (call(&bad), "invalid_request"),
        (call(&unsafe_request), "unsafe_request"),
    ];
    for (incoming, code) in calls {
        let wallet = FakeWallet::paid();
        let refusal = generate::<QuestionPaper>(&incoming, &Offline::default(), &wallet, &built_in(), NOW)
            .await
            .unwrap_err();
        assert_eq!(refusal.code(), code);
        assert!(wallet.events.borrow().is_empty(), "{code}");
    }
}

#[tokio::test]
async fn d04_a_dry_run_says_before_the_charge_how_the_paper_would_be_made() {
    let wallet = FakeWallet::default();
    for chapter in ["Electricity", "Our Environment"] {
        let mut request = body(10, "Science", chapter);
        let made = answer(&request, &FakeWallet::paid()).await.unwrap();
        request["dryRun"] = json!(true);
        let forecast = answer(&request, &wallet).await.unwrap();
        assert_eq!(forecast["meta"]["label"], made["data"]["label"]);
        assert_eq!(forecast["meta"]["warnings"], made["meta"]["warnings"]);
        assert_eq!(forecast["plan"]["totalMarks"], 80);
        assert_eq!(forecast["plan"]["sections"].as_array().unwrap().len(), 4);
        assert_eq!(forecast.get("wordContent"), None);
    }
    assert!(wallet.events.borrow().is_empty(), "nothing is claimed");
}

#[tokio::test]
async fn d09_a_result_of_a_cancelled_generation_is_not_delivered() {
    let wallet = FakeWallet::paid();
    wallet.refuses_result.set(true);
    assert_eq!(answer(&body(10, "Science", "Electricity"), &wallet).await, Err(FunctionError::Cancelled));
    assert!(wallet.failures().is_empty(), "the wallet has given the credits back itself");
}
