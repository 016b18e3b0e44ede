//! The body of the answer (generation.md 1): the file, the same paper as plain text, the structured document,
//! and how it was made.

use std::time::Duration;

use banyan_functions::document::{rtf, text};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::authoring::Authored;
use crate::forecast::rounded;
use crate::layout;
use crate::paper::{self, Remarks};
use crate::plan::Plan;
use crate::request::PaperRequest;
use crate::words::Words;

/// The name of the file: RTF in a `.doc`, which opens everywhere (domain.md 10.6).
pub const FILENAME: &str = "question-paper.doc";

/// What is reported about the making.
#[derive(Debug)]
pub struct Facts<'a> {
    /// The seed of every choice.
    pub seed: u64,
    /// The gateway's id of the request.
    pub request_id: &'a str,
    /// Time used.
    pub elapsed: Duration,
    /// The product's name.
    pub product: &'a str,
}

/// Builds the body; `wordContent` and `questionPaper` depend only on plan, text and remarks.
pub fn body(
    request: &PaperRequest,
    plan: &Plan,
    words: &Words,
    authored: &Authored,
    remarks: Remarks,
    facts: &Facts<'_>,
) -> Value {
    let Authored { content, model, usage, regenerated, replaced } = authored;
    let meta = json!({
        "generator": remarks.generator, "model": model, "language": request.language.code(), "schema": "qp/1",
        "seed": facts.seed, "coverage": rounded(content.coverage), "warnings": remarks.warnings,
        "repairs": { "regenerated": regenerated, "replaced": replaced },
        "usage": { "input": usage.input, "output": usage.output },
        "ms": u64::try_from(facts.elapsed.as_millis()).unwrap_or(u64::MAX),
        "requestId": facts.request_id,
    });
    let paper = paper::assemble(request, plan, words, content, remarks);
    let document = layout::lay_out(&paper, words, request.language, facts.product);
    json!({
        "questionPaper": text::write(&document),
        "wordContent": STANDARD.encode(rtf::write(&document)),
        "filename": FILENAME,
        "data": paper,
        "meta": meta,
    })
}
