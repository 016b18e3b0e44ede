//! The life of a deduction as the function lives it (product decisions D01 to D09).

use banyan_functions::door::Incoming;
use banyan_functions::error::FunctionError;
use banyan_functions::service::generate;
use banyan_functions::wallet::Claim;
use generate_lesson_plan::LessonPlan;
use serde_json::{Value, json};

use crate::fakes::{answer, body, built_in};
use crate::paid::{Event, FakeWallet, NOW, Offline, USER, call, call_as};

#[tokio::test]
async fn d01_a_plan_is_claimed_made_stored_and_delivered() {
    let wallet = FakeWallet::paid();
    let result = answer(&body(10, "Science", "Electricity", 2), &wallet).await.unwrap();
    let events = wallet.events.borrow();
    let Event::Claimed { tool, owner, key, .. } = &events[0] else { panic!("no claim") };
    assert_eq!((tool.as_str(), owner.as_str(), key.len()), ("generate-lesson-plan", USER, 64));
    assert_eq!(events[1], Event::Completed(result));
    assert_eq!(events.len(), 2);
}

#[tokio::test]
async fn d01_without_an_open_deduction_nothing_is_made() {
    let wallet = FakeWallet::answering([Claim::Insufficient]);
    let refusal = answer(&body(10, "Science", "Electricity", 2), &wallet).await;
    assert_eq!(refusal, Err(FunctionError::InsufficientCredits));
    assert_eq!(wallet.events.borrow().len(), 1);
}

#[tokio::test]
async fn d08_the_same_request_is_answered_with_the_stored_result() {
    let wallet = FakeWallet::answering([Claim::Replayed(json!({ "stored": true }))]);
    let result = answer(&body(10, "Science", "Electricity", 2), &wallet).await;
    assert_eq!(result, Ok(json!({ "stored": true })));
    assert_eq!(wallet.completions(), 0);
}

#[tokio::test]
async fn d08_a_request_that_is_being_made_elsewhere_is_waited_for() {
    let claims = [Claim::Running, Claim::Running, Claim::Replayed(json!({ "n": 1 }))];
    assert_eq!(
        answer(&body(10, "Science", "Light", 1), &FakeWallet::answering(claims)).await,
        Ok(json!({ "n": 1 }))
    );
    let endless = FakeWallet::answering(std::iter::repeat_n(Claim::Running, 500));
    assert_eq!(answer(&body(10, "Science", "Light", 1), &endless).await, Err(FunctionError::Busy));
    assert!(endless.failures().is_empty() && endless.completions() == 0);
}

/// The key and the hash that a call claims with.
async fn claimed_with(body: &Value, header: Option<&str>) -> (String, String) {
    let wallet = FakeWallet::paid();
    generate::<LessonPlan>(&keyed(body, header), &Offline::default(), &wallet, &built_in(), NOW)
        .await
        .expect("a plan");
    let Event::Claimed { key, body_hash, .. } = wallet.events.borrow()[0].clone() else { panic!("no claim") };
    (key, body_hash)
}

fn keyed(body: &Value, header: Option<&str>) -> Incoming {
    let mut incoming = call(body);
    if let Some(key) = header {
        incoming.headers.insert("idempotency-key", key.parse().expect("visible ASCII"));
    }
    incoming
}

#[tokio::test]
async fn d08_the_key_is_the_clients_or_the_hash_of_the_normal_form() {
    let mut other = body(10, "Science", "Electricity", 2);
    other["class"] = json!("Class X");
    other["outputType"] = json!("email");
    let plain = body(10, "Science", "Electricity", 2);
    let (key, body_hash) = claimed_with(&plain, None).await;
    assert_eq!(key, body_hash);
    assert_eq!(claimed_with(&other, None).await.0, key);
    assert_ne!(claimed_with(&body(10, "Science", "Electricity", 3), None).await.0, key);
    assert_eq!(claimed_with(&other, Some("my-key")).await, ("my-key".to_owned(), body_hash));
}

#[tokio::test]
async fn d08_a_key_that_was_used_for_another_body_is_refused_without_work() {
    let wallet = FakeWallet::answering([Claim::OtherBody]);
    let refusal = answer(&body(10, "Science", "Electricity", 2), &wallet).await.unwrap_err();
    assert_eq!((refusal.status().as_u16(), refusal.code()), (422, "idempotency_key_reused"));
    assert_eq!(wallet.events.borrow().len(), 1, "nothing is settled: the deduction is still open");
}

#[tokio::test]
async fn d08_an_unusable_key_is_refused_before_anything_is_claimed() {
    for key in ["", "with a space", &"k".repeat(201)] {
        let wallet = FakeWallet::paid();
        let incoming = keyed(&body(10, "Science", "Electricity", 2), Some(key));
        let refusal = generate::<LessonPlan>(&incoming, &Offline::default(), &wallet, &built_in(), NOW)
            .await
            .unwrap_err();
        assert_eq!(refusal.code(), "invalid_request", "{key:?}");
        assert!(wallet.events.borrow().is_empty(), "{key:?}");
    }
}

#[tokio::test]
async fn d08_the_document_depends_on_the_request_and_its_attempt_not_on_the_key() {
    let request = body(10, "Science", "Electricity", 2);
    let made_with = async |key: Option<&str>| {
        let wallet = FakeWallet::paid();
        generate::<LessonPlan>(&keyed(&request, key), &Offline::default(), &wallet, &built_in(), NOW)
            .await
            .unwrap()
    };
    assert_eq!(made_with(Some("one")).await["docContent"], made_with(None).await["docContent"]);
}

#[tokio::test]
async fn d09_a_result_of_a_cancelled_generation_is_not_delivered() {
    let wallet = FakeWallet::paid();
    wallet.refuses_result.set(true);
    assert_eq!(answer(&body(10, "Science", "Light", 1), &wallet).await, Err(FunctionError::Cancelled));
    assert!(wallet.failures().is_empty(), "the wallet has given the credits back itself");
}

#[tokio::test]
async fn d09_a_result_is_stored_again_when_the_first_try_breaks() {
    let wallet = FakeWallet::paid();
    wallet.broken_completions.set(2);
    assert!(answer(&body(10, "Science", "Light", 1), &wallet).await.is_ok());
    assert_eq!(wallet.completions(), 1);
}

#[tokio::test]
async fn d01_credits_are_given_back_once_when_the_result_cannot_be_stored() {
    let wallet = FakeWallet::paid();
    wallet.broken_completions.set(99);
    assert_eq!(answer(&body(10, "Science", "Light", 1), &wallet).await, Err(FunctionError::Busy));
    assert_eq!(wallet.failures(), ["not_stored"]);
}

#[tokio::test]
async fn nothing_is_claimed_for_a_caller_or_a_request_that_is_refused() {
    let good = body(10, "Science", "Light", 1);
    let mut bad = good.clone();
    bad["class"] = json!("thirteen");
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
        let refusal = generate::<LessonPlan>(&incoming, &Offline::default(), &wallet, &built_in(), NOW)
            .await
            .unwrap_err();
        assert_eq!(refusal.code(), code);
        assert!(wallet.events.borrow().is_empty(), "{code}");
    }
}

#[tokio::test]
async fn the_owner_comes_from_the_token_never_from_the_body() {
    let wallet = FakeWallet::paid();
    let mut body = body(10, "Science", "Light", 1);
    body["user_id"] = json!("00000000-0000-0000-0000-000000000000");
    body["owner"] = json!("00000000-0000-0000-0000-000000000000");
    answer(&body, &wallet).await.unwrap();
    assert!(matches!(&wallet.events.borrow()[0], Event::Claimed { owner, .. } if owner == USER));
}

#[tokio::test]
async fn d04_a_dry_run_says_before_the_charge_how_the_document_would_be_made() {
    let wallet = FakeWallet::default();
    for (chapter, coverage, sentence) in [
        ("Electricity", 0.8..=1.0, "Prepared from the built-in"),
        ("Our Environment", 0.0..=0.3, "Draft frame."),
    ] {
        let mut request = body(10, "Science", chapter, 3);
        request["dryRun"] = json!(true);
        let forecast = answer(&request, &wallet).await.unwrap();
        let made = answer(&body(10, "Science", chapter, 3), &FakeWallet::paid()).await.unwrap();
        assert!(forecast["meta"]["label"].as_str().unwrap().starts_with(sentence), "{forecast}");
        assert!(coverage.contains(&forecast["meta"]["coverage"].as_f64().unwrap()), "{forecast}");
        assert_eq!(forecast["meta"]["label"], made["data"]["label"]);
        assert_eq!(forecast["meta"]["warnings"], made["meta"]["warnings"]);
        assert_eq!(forecast.get("docContent"), None);
    }
    let mut request = body(10, "Science", "Electricity", 3);
    request["dryRun"] = json!("true");
    let unclear = answer(&request, &wallet).await.unwrap_err();
    assert_eq!(unclear.code(), "invalid_request", "what may cost credits is not guessed");
    assert!(wallet.events.borrow().is_empty(), "nothing is claimed");
    request["dryRun"] = json!(true);
    let anon = json!({ "role": "anon" });
    let refusal =
        generate::<LessonPlan>(&call_as(&anon, &request), &Offline::default(), &wallet, &built_in(), NOW)
            .await;
    assert_eq!(refusal, Err(FunctionError::Unauthenticated));
}
