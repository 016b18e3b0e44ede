//! Requests for lesson plans.

use banyan_functions::env::Env;
use banyan_functions::error::FunctionError;
use banyan_functions::paid_call::{Settings, generate};
use banyan_functions::wallet::Claim;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use generate_lesson_plan::LessonPlan;
use serde_json::{Value, json};

use crate::paid::{FakeWallet, NOW, Offline, call};

pub(crate) fn body(class: u8, subject: &str, chapter: &str, periods: u8) -> Value {
    json!({ "board": "CBSE", "class": class, "subject": subject, "periods": periods, "chapter": chapter,
            "bookName": "Science", "publisher": "NCERT", "referencePlanUrl": "" })
}

pub(crate) fn built_in() -> Settings {
    Settings { product: "Shikshak Saathi".to_owned(), model: None, daily_tokens: None, env: Env::default() }
}

/// A paid call to the built-in generator.
pub(crate) async fn plan(body: &Value) -> Value {
    plan_of_attempt(body, 1).await
}

pub(crate) async fn plan_of_attempt(body: &Value, attempt: u64) -> Value {
    let wallet = FakeWallet::answering([Claim::Claimed { generation_id: "g-1".to_owned(), attempt }]);
    generate::<LessonPlan>(&call(body), &Offline::default(), &wallet, &built_in(), NOW)
        .await
        .expect("a valid request")
}

/// The answer or refusal of a call with this wallet.
pub(crate) async fn answer(body: &Value, wallet: &FakeWallet) -> Result<Value, FunctionError> {
    generate::<LessonPlan>(&call(body), &Offline::default(), wallet, &built_in(), NOW).await
}

pub(crate) fn rtf(answer: &Value) -> Vec<u8> {
    STANDARD.decode(answer["docContent"].as_str().expect("a document")).expect("base64")
}
