//! Requests for teaching aids.

use banyan_functions::env::Env;
use banyan_functions::error::FunctionError;
use banyan_functions::paid_call::{Settings, generate};
use banyan_functions::wallet::Claim;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use generate_teaching_aids::TeachingAids;
use generate_teaching_aids::request::AidsRequest;
use serde_json::{Value, json};

use crate::paid::{FakeWallet, NOW, Offline, call};

pub(crate) const KINDS: [&str; 9] = [
    "worksheets",
    "practice-sheets",
    "interactive-activities",
    "games",
    "flashcards",
    "quiz",
    "presentation",
    "study-guides",
    "rubrics",
];

pub(crate) fn body(class: u8, subject: &str, chapter: &str, kinds: &[&str], pages: u8) -> Value {
    json!({ "board": "CBSE", "grade": class, "subject": subject, "aidTypes": kinds, "chapterName": chapter,
            "learningObjectives": "", "difficultyLevel": "medium", "numberOfPages": pages,
            "preferredFormat": "Word Document (.docx)" })
}

pub(crate) fn read(body: &Value) -> AidsRequest {
    AidsRequest::read(body).expect("a valid request")
}

pub(crate) fn built_in() -> Settings {
    Settings { product: "Shikshak Saathi".to_owned(), model: None, daily_tokens: None, env: Env::default() }
}

/// A paid call.
pub(crate) async fn aids(body: &Value) -> Value {
    aids_of_attempt(body, 1).await
}

pub(crate) async fn aids_of_attempt(body: &Value, attempt: u64) -> Value {
    let wallet = FakeWallet::answering([Claim::Claimed { generation_id: "g-1".to_owned(), attempt }]);
    answer(body, &wallet).await.expect("a valid request")
}

/// The answer or refusal of a call with this wallet.
pub(crate) async fn answer(body: &Value, wallet: &FakeWallet) -> Result<Value, FunctionError> {
    generate::<TeachingAids>(&call(body), &Offline::default(), wallet, &built_in(), NOW).await
}

pub(crate) fn file(answer: &Value) -> Vec<u8> {
    STANDARD.decode(answer["documentContent"].as_str().expect("a document")).expect("base64")
}

pub(crate) fn text(answer: &Value) -> &str {
    answer["teachingAids"].as_str().expect("a text")
}
