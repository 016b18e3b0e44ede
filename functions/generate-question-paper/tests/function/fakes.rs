//! Requests for question papers.

use banyan_functions::env::Env;
use banyan_functions::error::FunctionError;
use banyan_functions::paid_call::{Settings, generate};
use banyan_functions::wallet::Claim;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use generate_question_paper::QuestionPaper;
use generate_question_paper::request::PaperRequest;
use serde_json::{Value, json};

use crate::paid::{FakeWallet, NOW, Offline, call};

pub(crate) const ALL_TYPES: [&str; 8] =
    ["mcq", "fill", "true-false", "match", "very-short", "short", "numerical", "long"];

/// A paper of 80 marks in 4 sections.
pub(crate) fn body(class: u8, subject: &str, chapter: &str) -> Value {
    body_of(class, subject, chapter, 80, 4, &["mcq", "very-short", "short", "long"])
}

pub(crate) fn body_of(
    class: u8,
    subject: &str,
    chapter: &str,
    marks: u32,
    sections: usize,
    types: &[&str],
) -> Value {
    json!({ "board": "CBSE", "class": class, "subject": subject, "chapter": chapter, "bookName": "Textbook",
            "publisher": "NCERT", "marks": marks, "timeHours": 3, "numberOfSections": sections,
            "difficultyLevel": "medium", "questionTypes": types, "referencePaperUrl": "" })
}

pub(crate) fn read(body: &Value) -> PaperRequest {
    PaperRequest::read(body).expect("a valid request")
}

pub(crate) fn built_in() -> Settings {
    Settings { product: "Shikshak Saathi".to_owned(), model: None, daily_tokens: None, env: Env::default() }
}

/// A paid call.
pub(crate) async fn paper(body: &Value) -> Value {
    paper_of_attempt(body, 1).await
}

pub(crate) async fn paper_of_attempt(body: &Value, attempt: u64) -> Value {
    let wallet = FakeWallet::answering([Claim::Claimed { generation_id: "g-1".to_owned(), attempt }]);
    generate::<QuestionPaper>(&call(body), &Offline::default(), &wallet, &built_in(), NOW)
        .await
        .expect("a valid request")
}

/// The answer or refusal of a call with this wallet.
pub(crate) async fn answer(body: &Value, wallet: &FakeWallet) -> Result<Value, FunctionError> {
    generate::<QuestionPaper>(&call(body), &Offline::default(), wallet, &built_in(), NOW).await
}

pub(crate) fn rtf(answer: &Value) -> Vec<u8> {
    STANDARD.decode(answer["wordContent"].as_str().expect("a document")).expect("base64")
}

pub(crate) fn text(answer: &Value) -> &str {
    answer["questionPaper"].as_str().expect("a text")
}
