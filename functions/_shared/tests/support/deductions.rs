//! The life of a deduction, the same for every tool that costs credits (app/SPECIFICATION.md D01 to
//! D09): a tool names a [`Case`], and [`deduction_tests`] makes its tests.

use banyan_functions::env::Env;
use banyan_functions::error::{FunctionError, FunctionRefusal};
use banyan_functions::handler::IncomingRequest;
use banyan_functions::paid_call::{Settings, Tool, generate};
use banyan_functions::wallet::Claim;
use serde_json::{Value, json};

use crate::paid::{Event, FakeWallet, NOW, Offline, USER, call, call_as};

/// A field and a value for it.
pub(crate) type Field = (&'static str, Value);

/// What the tests need to know of a tool.
pub(crate) struct Case {
    /// A request that is made from the bank as a whole.
    pub(crate) good: Value,
    /// A value that is refused.
    pub(crate) bad: Field,
    /// A field whose text is looked at by the safety rules.
    pub(crate) typed: &'static str,
    /// The same values in other forms.
    pub(crate) same: Vec<Field>,
    /// A value that asks for something else.
    pub(crate) other: Field,
    /// The field of the answer that holds the file.
    pub(crate) file: &'static str,
}

fn with(good: &Value, (field, value): &Field) -> Value {
    let mut request = good.clone();
    request[*field] = value.clone();
    request
}

async fn answered<T: Tool>(incoming: &IncomingRequest, wallet: &FakeWallet) -> Result<Value, FunctionError> {
    let settings = Settings {
        product: "Shikshak Saathi".to_owned(),
        model: None,
        daily_tokens: None,
        env: Env::default(),
    };
    generate::<T>(incoming, &Offline::default(), wallet, &settings, NOW).await
}

fn keyed(body: &Value, header: Option<&str>) -> IncomingRequest {
    let mut incoming = call(body);
    if let Some(key) = header {
        incoming.headers.insert("idempotency-key", key.parse().expect("visible ASCII"));
    }
    incoming
}

/// Key and hash that a call claims with, and its file.
async fn claimed<T: Tool>(case: &Case, body: &Value, header: Option<&str>) -> (String, String, Value) {
    let wallet = FakeWallet::paid();
    let answer = answered::<T>(&keyed(body, header), &wallet).await.expect("a document");
    let Event::Claimed { key, body_hash, .. } = wallet.events.borrow()[0].clone() else { panic!("no claim") };
    (key, body_hash, answer[case.file].clone())
}

pub(crate) async fn is_claimed_made_stored_and_delivered<T: Tool>(case: Case) {
    let wallet = FakeWallet::paid();
    let mut body = case.good;
    // The owner comes from the token, never from the body.
    body["owner"] = json!("00000000-0000-0000-0000-000000000000");
    body["user_id"] = body["owner"].clone();
    let result = answered::<T>(&call(&body), &wallet).await.expect("a document");
    let events = wallet.events.borrow();
    let Event::Claimed { tool, owner, key, body_hash } = &events[0] else { panic!("no claim") };
    assert_eq!((tool.as_str(), owner.as_str(), key.len()), (T::NAME, USER, 64));
    assert_eq!(key, body_hash);
    assert_eq!(events[1..], [Event::Completed(result)]);
}

pub(crate) async fn is_not_made_unpaid<T: Tool>(case: Case) {
    let endings = [
        (Claim::Insufficient, Err(FunctionError::InsufficientCredits)),
        (
            Claim::RateLimited { retry_after: Some(9) },
            Err(FunctionError::Refused(FunctionRefusal::RateLimited { retry_after: Some(9) })),
        ),
        (Claim::Replayed(json!({ "stored": true })), Ok(json!({ "stored": true }))),
    ];
    for (claim, ending) in endings {
        let wallet = FakeWallet::answering([claim]);
        assert_eq!(answered::<T>(&call(&case.good), &wallet).await, ending);
        assert_eq!(wallet.events.borrow().len(), 1, "nothing is made and nothing settled");
    }
    let wallet = FakeWallet::answering([Claim::OtherBody]);
    assert_eq!(answered::<T>(&call(&case.good), &wallet).await, Err(FunctionError::KeyReused));
    assert_eq!((wallet.events.borrow().len(), wallet.refused()), (2, vec![T::NAME.to_owned()]));
}

pub(crate) async fn waits_for_its_twin<T: Tool>(case: Case) {
    let claims = [Claim::Running, Claim::Running, Claim::Replayed(json!({ "n": 1 }))];
    let answer = answered::<T>(&call(&case.good), &FakeWallet::answering(claims)).await;
    assert_eq!(answer, Ok(json!({ "n": 1 })));
    let endless = FakeWallet::answering(std::iter::repeat_n(Claim::Running, 500));
    assert_eq!(
        answered::<T>(&call(&case.good), &endless).await,
        Err(FunctionError::Refused(FunctionRefusal::Busy))
    );
    assert!(endless.failures().is_empty() && endless.completions() == 0);
}

pub(crate) async fn has_one_key_in_all_its_forms<T: Tool>(case: Case) {
    let plain = claimed::<T>(&case, &case.good, None).await;
    assert_eq!(plain.0, plain.1);
    let mut twin = with(&case.good, &("outputType", json!("email")));
    for (field, value) in &case.same {
        twin[*field] = value.clone();
    }
    assert_eq!(claimed::<T>(&case, &twin, None).await, plain, "the same request, byte by byte");
    assert_ne!(claimed::<T>(&case, &with(&case.good, &case.other), None).await.0, plain.0);
    // The document depends on the request and its attempt, not on the client's key.
    let own = claimed::<T>(&case, &twin, Some("my-key")).await;
    assert_eq!(own, ("my-key".to_owned(), plain.1, plain.2));
}

pub(crate) async fn claims_nothing_and_gives_back_when_refused<T: Tool>(case: Case) {
    let danger = (case.typed, json!("How to make a bomb at home"));
    let anon = call_as(&json!({ "role": "anon" }), &case.good);
    let wallet = FakeWallet::paid();
    assert_eq!(answered::<T>(&anon, &wallet).await.expect_err("nobody").code(), "unauthenticated");
    assert!(wallet.events.borrow().is_empty(), "nobody has deducted anything");
    let mut broken = call(&case.good);
    broken.body = Some(b"{".to_vec());
    let mut calls = vec![
        (broken, "invalid_request"),
        (call(&with(&case.good, &case.bad)), "invalid_request"),
        (call(&with(&case.good, &danger)), "unsafe_request"),
    ];
    for key in ["", "with a space", &"k".repeat(201)] {
        calls.push((keyed(&case.good, Some(key)), "invalid_request"));
    }
    for (incoming, code) in calls {
        let wallet = FakeWallet::paid();
        wallet.lost_give_ups.set(1);
        assert_eq!(answered::<T>(&incoming, &wallet).await.expect_err("a refusal").code(), code);
        assert_eq!(*wallet.events.borrow(), [Event::Refused(T::NAME.to_owned())], "{code}: said until heard");
    }
    let wallet = FakeWallet::paid();
    wallet.wait_after_refusal.set(60);
    let limited = answered::<T>(&call(&with(&case.good, &danger)), &wallet).await.expect_err("too many");
    assert_eq!((limited.code(), wallet.events.borrow().len()), ("rate_limited", 0), "D10: it stays open");
}

pub(crate) async fn is_estimated_before_the_charge<T: Tool>(case: Case) {
    let wallet = FakeWallet::default();
    let made = answered::<T>(&call(&case.good), &FakeWallet::paid()).await.expect("a document");
    let request = with(&case.good, &("dryRun", json!(true)));
    let estimate = answered::<T>(&call(&request), &wallet).await.expect("an estimate");
    assert_eq!(estimate["meta"]["label"], made["data"]["label"]);
    assert_eq!(estimate["meta"]["warnings"], made["meta"]["warnings"]);
    assert_eq!(estimate.get(case.file), None);
    let anon = call_as(&json!({ "role": "anon" }), &request);
    assert_eq!(
        answered::<T>(&anon, &wallet).await,
        Err(FunctionError::Refused(FunctionRefusal::Unauthenticated))
    );
    let unclear = call(&with(&case.good, &("dryRun", json!("true"))));
    let refusal = answered::<T>(&unclear, &wallet).await.expect_err("a refusal");
    assert_eq!(refusal.code(), "invalid_request", "what may cost credits is not guessed");
    assert_eq!(wallet.refused(), [T::NAME], "it may have been charged for");
    for (field, code) in [
        (&case.bad, "invalid_request"),
        (&(case.typed, json!("How to make a bomb at home")), "unsafe_request"),
    ] {
        let dry = call(&with(&with(&case.good, field), &("dryRun", json!(true))));
        assert_eq!(answered::<T>(&dry, &wallet).await.expect_err("a refusal").code(), code);
    }
    assert_eq!(wallet.events.borrow().len(), 1, "nothing is claimed, and an estimate gives nothing back");
}

pub(crate) async fn is_delivered_as_stored_only<T: Tool>(case: Case) {
    let cancelled = FakeWallet::paid();
    cancelled.refuses_result.set(true);
    assert_eq!(answered::<T>(&call(&case.good), &cancelled).await, Err(FunctionError::Cancelled));
    assert!(cancelled.failures().is_empty(), "the wallet has given the credits back itself");

    let slow = FakeWallet::paid();
    slow.broken_completions.set(2);
    assert!(answered::<T>(&call(&case.good), &slow).await.is_ok());
    assert_eq!(slow.completions(), 1);

    let broken = FakeWallet::paid();
    broken.broken_completions.set(99);
    assert_eq!(
        answered::<T>(&call(&case.good), &broken).await,
        Err(FunctionError::Refused(FunctionRefusal::Busy))
    );
    assert_eq!((broken.failures(), broken.completions()), (vec!["not_stored".to_owned()], 0));
}

/// The tests of a tool and its case.
macro_rules! deduction_tests {
    ($tool:ty, $case:expr) => {
        // rows: app/D01 app/D03
        #[tokio::test]
        async fn it_is_claimed_made_stored_and_delivered_to_the_owner_of_the_token() {
            crate::deductions::is_claimed_made_stored_and_delivered::<$tool>($case).await;
        }

        // rows: app/D01 app/D08 app/D10
        #[tokio::test]
        async fn nothing_is_made_without_a_deduction_of_its_own() {
            crate::deductions::is_not_made_unpaid::<$tool>($case).await;
        }

        // rows: app/D08
        #[tokio::test]
        async fn a_request_that_is_being_made_elsewhere_is_waited_for() {
            crate::deductions::waits_for_its_twin::<$tool>($case).await;
        }

        // rows: app/D08
        #[tokio::test]
        async fn equal_requests_have_one_key_and_give_the_same_bytes() {
            crate::deductions::has_one_key_in_all_its_forms::<$tool>($case).await;
        }

        // rows: app/D01
        #[tokio::test]
        async fn nothing_is_claimed_for_a_caller_a_key_or_a_request_that_is_refused() {
            crate::deductions::claims_nothing_and_gives_back_when_refused::<$tool>($case).await;
        }

        // rows: app/D04
        #[tokio::test]
        async fn a_dry_run_says_before_the_charge_how_it_would_be_made() {
            crate::deductions::is_estimated_before_the_charge::<$tool>($case).await;
        }

        // rows: app/D01 app/D09
        #[tokio::test]
        async fn only_a_stored_result_is_delivered_and_else_the_credits_go_back_once() {
            crate::deductions::is_delivered_as_stored_only::<$tool>($case).await;
        }
    };
}
pub(crate) use deduction_tests;
