//! The path of a call that costs credits, with a tool that shows what it was given.

#[path = "../support/paid.rs"]
#[expect(dead_code, reason = "the tests of the tools use the rest")]
mod paid;

use std::time::Duration;

use banyan_functions::env::Env;
use banyan_functions::error::{FunctionError, Refusal};
use banyan_functions::model::authoring::Writer;
use banyan_functions::service::{Job, Settings, Tool, generate};
use banyan_functions::transport::Transport;
use banyan_functions::wallet::Claim;
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

    fn forecast((): &(), _writer: Writer) -> Value {
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
    let claimed = Claim::Claimed { generation_id: "g-1".to_owned(), attempt: 2 };
    let wallet =
        FakeWallet::answering(std::iter::repeat_n(Claim::Running, seconds).chain(std::iter::once(claimed)));
    let settings = Settings::from_env(&Env::from([("LLM_BASE_URL", "https://m.test"), ("LLM_MODEL", "m")]));
    let network = Offline::default();
    let answer = generate::<Spy>(&call(&json!({})), &network, &wallet, &settings, NOW).await;
    (answer, network.now(), wallet)
}

#[tokio::test]
async fn a_wait_for_the_twin_comes_off_the_budget_of_the_model() {
    for (waited, budget) in [(0, 110), (20, 110), (60, 70), (99, 31)] {
        let (answer, ..) = after_a_twin_of(waited).await;
        assert_eq!(answer, Ok(json!(budget)), "{waited} s");
    }
}

#[tokio::test]
async fn nothing_is_claimed_that_could_not_be_finished() {
    let (answer, took, wallet) = after_a_twin_of(101).await;
    assert_eq!(answer, Err(FunctionError::Refused(Refusal::Busy)));
    assert!(took < Duration::from_secs(101), "{took:?}");
    assert!(matches!(wallet.claims.borrow().back(), Some(Claim::Claimed { .. })), "the claim is left");
    assert!(wallet.events.borrow().iter().all(|event| matches!(event, Event::Claimed { .. })));
}

#[tokio::test]
async fn a_result_that_cannot_be_stored_is_told_without_a_last_wait() {
    let claimed = Claim::Claimed { generation_id: "g-1".to_owned(), attempt: 1 };
    let wallet = FakeWallet::answering([claimed]);
    wallet.broken_completions.set(3);
    let settings = Settings::from_env(&Env::from([("LLM_BASE_URL", "https://m.test"), ("LLM_MODEL", "m")]));
    let network = Offline::default();
    let answer = generate::<Spy>(&call(&json!({})), &network, &wallet, &settings, NOW).await;
    assert_eq!(answer, Err(FunctionError::Refused(Refusal::Busy)));
    assert_eq!((network.now(), wallet.failures().len()), (Duration::from_millis(400), 1));
}
