//! The path of a call that costs credits, with a tool that shows what it was given.

#[path = "../support/paid.rs"]
mod paid;

#[path = "../support/mod.rs"]
#[expect(dead_code, reason = "the tests of the client use the rest")]
mod support;

/// Moderation by a model, and the answers to unsafe requests.
mod moderation;

/// A model that takes its time.
mod slow;

/// The daily cap on what models may use.
mod daily_cap;

/// What the path has in common with the rest of the stack.
mod limits;

use std::collections::BTreeSet;
use std::time::Duration;

use banyan_functions::env::Env;
use banyan_functions::error::{FunctionError, FunctionRefusal};
use banyan_functions::model::authoring::Writer;
use banyan_functions::paid_call::{Job, Settings, Tool, generate};
use banyan_functions::transport::Transport;
use banyan_functions::wallet::{Claim, Wallet as _};
use paid::{Event, FakeWallet, NOW, Offline, call};
use serde_json::{Value, json};

/// Answers with the budget that a model would have.
struct Spy;

impl Tool for Spy {
    const NAME: &'static str = "spy";

    type Request = ();

    fn read(_body: &Value) -> Result<(), FunctionError> {
        Ok(())
    }

    fn typed((): &()) -> Vec<&str> {
        Vec::new()
    }

    fn normalised((): &()) -> Value {
        Value::Null
    }

    fn estimate((): &(), _writer: Writer) -> Value {
        Value::Null
    }

    async fn write(
        _transport: &impl Transport,
        settings: &Settings,
        _job: &Job<'_, ()>,
    ) -> Result<Value, FunctionError> {
        Ok(json!(settings.model.as_ref().expect("a model").budget.as_secs()))
    }
}

/// What a call answers whose twin runs for so many seconds, and how long it took.
async fn after_a_twin_of(seconds: usize) -> (Result<Value, FunctionError>, Duration, FakeWallet) {
    let running = std::iter::repeat_n(Claim::Running, seconds);
    let wallet = FakeWallet::answering(running.chain(std::iter::once(claimed("g-1"))));
    let network = Offline::default();
    let answer = generate::<Spy>(&call(&json!({})), &network, &wallet, &with_a_model(), NOW).await;
    (answer, network.now(), wallet)
}

#[tokio::test]
async fn a_wait_for_the_twin_comes_off_the_budget_of_the_model() {
    for (waited, budget) in [(0, 90), (20, 90), (40, 70), (59, 51)] {
        let (answer, ..) = after_a_twin_of(waited).await;
        assert_eq!(answer, Ok(json!(budget)), "{waited} s");
    }
}

/// A claim that the wallet has for the next call.
fn claimed(generation_id: &str) -> Claim {
    Claim::Claimed { generation_id: generation_id.to_owned(), attempt: 1 }
}

fn with_a_model() -> Settings {
    Settings::from_env(&Env::from([("LLM_BASE_URL", "https://m.test"), ("LLM_MODEL", "m")]))
}

/// The numbers of the claims that were given up.
fn given_up(wallet: &FakeWallet) -> Vec<String> {
    let events = wallet.events.borrow();
    let number = |event: &Event| if let Event::GivenUp(number) = event { Some(number.clone()) } else { None };
    events.iter().filter_map(number).collect()
}

// rows: app/D01
#[tokio::test]
async fn a_claim_whose_answer_is_lost_is_asked_again_under_its_number_and_paid_once() {
    for (lost, asked) in [(0, 1), (1, 2), (2, 3), (3, 3)] {
        let wallet = FakeWallet::answering([claimed("g-1"), claimed("of another deduction")]);
        wallet.lost_answers.set(lost);
        let answer =
            generate::<Spy>(&call(&json!({})), &Offline::default(), &wallet, &with_a_model(), NOW).await;
        assert_eq!(answer.is_ok(), lost < 3, "{lost} answers lost: {answer:?}");
        let numbers = wallet.claim_ids.borrow();
        assert_eq!(numbers.len(), asked, "{lost} answers lost");
        assert!(numbers.iter().all(|number| *number == numbers[0] && number.len() == 32), "{numbers:?}");
        assert_eq!(*wallet.claims.borrow(), [claimed("of another deduction")], "{lost} answers lost");
    }
}

// rows: app/D10
#[tokio::test]
async fn a_claim_that_is_never_answered_is_given_up_before_the_teacher_is_told() {
    for (lost, unheard, given) in [(2, 0, 0), (3, 0, 1), (3, 2, 1), (3, 3, 0)] {
        let wallet = FakeWallet::answering([claimed("g-1")]);
        wallet.lost_answers.set(lost);
        wallet.lost_give_ups.set(unheard);
        let answer =
            generate::<Spy>(&call(&json!({})), &Offline::default(), &wallet, &with_a_model(), NOW).await;
        assert_eq!(answer.is_ok(), lost < 3, "{lost} answers lost: {answer:?}");
        let number = wallet.claim_ids.borrow()[0].clone();
        assert_eq!(given_up(&wallet), vec![number; given], "{lost} answers lost, {unheard} times unheard");
    }
}

// rows: app/D10
#[tokio::test]
async fn a_claim_that_is_not_answered_when_no_time_is_left_to_ask_again_is_given_up() {
    let wallet = FakeWallet::answering(std::iter::repeat_n(Claim::Running, 59));
    wallet.lost_at_the_end.set(true);
    let answer = generate::<Spy>(&call(&json!({})), &Offline::default(), &wallet, &with_a_model(), NOW).await;
    assert_eq!(answer, Err(FunctionError::Refused(FunctionRefusal::Busy)));
    assert_eq!(wallet.refused(), ["spy"], "nor is anything left open that never came to a claim");
    assert_eq!((wallet.claim_ids.borrow().len(), given_up(&wallet).len()), (60, 1));
}

#[tokio::test]
async fn a_claim_that_cannot_have_been_heard_is_not_given_up() {
    let wallet = FakeWallet::default();
    let answer = generate::<Spy>(&call(&json!({})), &Offline::default(), &wallet, &with_a_model(), NOW).await;
    assert!(answer.is_err());
    assert_eq!(given_up(&wallet), [] as [String; 0]);
}

// rows: app/D09
#[tokio::test]
async fn a_claim_that_was_cancelled_while_its_answer_was_lost_is_answered_as_cancelled() {
    let wallet = FakeWallet::answering([Claim::Ended]);
    wallet.lost_answers.set(1);
    let (settings, network) = (Settings::from_env(&Env::from([])), Offline::default());
    let answer = generate::<Spy>(&call(&json!({})), &network, &wallet, &settings, NOW).await;
    assert_eq!(answer, Err(FunctionError::Cancelled));
    assert_eq!((wallet.completions(), wallet.failures().len()), (0, 0), "nothing is made or given back");
}

// rows: app/D09
#[tokio::test]
async fn a_call_that_waited_in_vain_is_told_what_became_of_its_twin() {
    for (end, told) in
        [(Claim::Ended, FunctionError::Cancelled), (Claim::Failed, FunctionError::GeneratorFailed)]
    {
        let wallet = FakeWallet::answering([Claim::Running, Claim::Running, end]);
        let (settings, network) = (Settings::from_env(&Env::from([])), Offline::default());
        let answer = generate::<Spy>(&call(&json!({})), &network, &wallet, &settings, NOW).await;
        assert_eq!((answer, network.now()), (Err(told), Duration::from_secs(2)));
        assert!(wallet.events.borrow().iter().all(|event| matches!(event, Event::Claimed { .. })));
    }
}

#[tokio::test]
async fn two_calls_claim_under_numbers_of_which_no_part_is_thrown_twice() {
    let wallet = FakeWallet::answering([Claim::OtherBody, Claim::OtherBody]);
    let (settings, network) = (Settings::from_env(&Env::from([])), Offline::default());
    for _ in 0..2 {
        let answer = generate::<Spy>(&call(&json!({})), &network, &wallet, &settings, NOW).await;
        assert_eq!(answer, Err(FunctionError::KeyReused));
    }
    let numbers = wallet.claim_ids.borrow().concat();
    let parts: BTreeSet<&[u8]> = numbers.as_bytes().chunks(8).collect();
    assert_eq!((numbers.len(), parts.len()), (64, 8), "{numbers}");
}

#[tokio::test]
async fn a_call_that_others_wait_in_place_of_is_told_to_come_back_at_once() {
    let wallet = FakeWallet::answering([Claim::Running, Claim::Busy, Claim::Running]);
    let (settings, network) = (Settings::from_env(&Env::from([])), Offline::default());
    let answer = generate::<Spy>(&call(&json!({})), &network, &wallet, &settings, NOW).await;
    assert_eq!(answer, Err(FunctionError::Refused(FunctionRefusal::Busy)));
    assert_eq!(network.now(), Duration::from_secs(1));
}

#[tokio::test]
async fn nothing_is_claimed_that_could_not_be_finished() {
    let (answer, took, wallet) = after_a_twin_of(61).await;
    assert_eq!(answer, Err(FunctionError::Refused(FunctionRefusal::Busy)));
    assert!(took < Duration::from_secs(61), "{took:?}");
    assert!(matches!(wallet.claims.borrow().back(), Some(Claim::Claimed { .. })), "the claim is left");
    assert!(wallet.events.borrow().iter().all(|event| matches!(event, Event::Claimed { .. })));
}

#[tokio::test]
async fn a_result_that_cannot_be_stored_is_told_without_a_last_wait() {
    let (wallet, network) = (FakeWallet::paid(), Offline::default());
    wallet.broken_completions.set(3);
    let answer = generate::<Spy>(&call(&json!({})), &network, &wallet, &with_a_model(), NOW).await;
    assert_eq!(answer, Err(FunctionError::Refused(FunctionRefusal::Busy)));
    assert_eq!((network.now(), wallet.failures().len()), (Duration::from_millis(400), 1));
}

#[tokio::test]
async fn the_wallet_of_these_tests_stores_what_the_database_does() {
    let wallet = FakeWallet::paid();
    for refused in [json!({ "text": ["a\u{0}"] }), json!({ "\u{0}": 1 })] {
        assert!(wallet.complete("g-1", &refused).await.is_err(), "{refused}");
    }
    assert_eq!(wallet.completions(), 0);
    assert!(wallet.complete("g-1", &json!({ "text": "\\u0000 \u{1}" })).await.is_ok());
}
