//! The daily cap on what models may use (SPECIFICATION.md GEN-3.3.4).

use banyan_functions::env::Env;
use banyan_functions::error::FunctionError;
use banyan_functions::paid_call::{Settings, generate};
use serde_json::{Value, json};

use crate::moderation::Note;
use crate::paid::{FakeWallet, NOW, call};
use crate::support::{Answer, FakeModel, SAFE, Tcp, judged};

async fn server() -> FakeModel {
    let writes = |_: usize, _: &Value| Answer::Stream("a sentence of the model".to_owned());
    FakeModel::judging(|_: &Value| judged(SAFE), writes).await
}

async fn note(server: &FakeModel, wallet: &FakeWallet, cap: Option<&str>) -> Result<Value, FunctionError> {
    let settings = Settings::from_env(&Env::from([
        ("LLM_BASE_URL", server.base.as_str()),
        ("LLM_MODEL", "fake-1"),
        ("LLM_DAILY_TOKENS", cap.unwrap_or_default()),
    ]));
    generate::<Note>(&call(&json!({ "topic": "Chalk" })), &Tcp::new(), wallet, &settings, NOW).await
}

// rows: GEN-3
#[tokio::test]
async fn a_document_of_a_model_counts_for_the_day_with_both_judgements() {
    let (server, wallet) = (server().await, FakeWallet::paid());
    wallet.admin.set(true);
    let answer = note(&server, &wallet, Some("1000000")).await.expect("a note");
    assert_eq!(answer["meta"]["generator"], "model");
    let used = wallet.model_tokens.get();
    assert!(used > 500, "{used}: the instructions of two judgements alone are more");
}

// rows: GEN-3
#[tokio::test]
async fn without_a_cap_nothing_is_asked_and_nothing_counted() {
    let (server, wallet) = (server().await, FakeWallet::paid());
    wallet.counts_no_tokens.set(true);
    let answer = note(&server, &wallet, None).await.expect("a note");
    assert_eq!((answer["meta"]["generator"].as_str(), wallet.model_tokens.get()), (Some("model"), 0));
}

// rows: GEN-3
#[tokio::test]
async fn a_day_that_has_used_its_tokens_is_served_by_the_built_in_generator() {
    for (used, cap) in [(1000, "1000"), (0, "0"), (0, "a lot")] {
        let (server, wallet) = (server().await, FakeWallet::paid());
        wallet.model_tokens.set(used);
        let answer = note(&server, &wallet, Some(cap)).await.expect("a note");
        assert_eq!(
            (answer["meta"]["generator"].as_str(), wallet.completions()),
            (Some("template"), 1),
            "{cap}"
        );
        assert_eq!((server.requests().len(), wallet.model_tokens.get()), (0, used), "{cap}");
    }
}

// rows: GEN-3
#[tokio::test]
async fn where_nobody_can_say_what_was_used_no_model_is_asked() {
    let (server, wallet) = (server().await, FakeWallet::paid());
    wallet.counts_no_tokens.set(true);
    let answer = note(&server, &wallet, Some("1000")).await.expect("a note");
    assert_eq!((answer["meta"]["generator"].as_str(), server.requests().len()), (Some("template"), 0));
}
