//! The body of the answer (generation.md 1): the file, the same paper as plain text, the structured document,
//! and how it was made.

use banyan_functions::document::{rtf, text};
use banyan_functions::model::authoring::Authored;
use banyan_functions::record::{Facts, Remarks};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::content::Content;
use crate::layout;
use crate::paper;
use crate::plan::Plan;
use crate::request::PaperRequest;
use crate::words::Words;

/// The name of the file: RTF in a `.doc`, which opens everywhere (domain.md 10.6).
pub const FILENAME: &str = "question-paper.doc";

/// Builds the body; `wordContent` and `questionPaper` depend only on plan, text and remarks.
pub fn body(
    request: &PaperRequest,
    plan: &Plan,
    words: &Words,
    authored: &Authored<Content>,
    remarks: Remarks,
    facts: &Facts<'_>,
) -> Value {
    let coverage = authored.content.coverage;
    let meta = facts.meta(authored, coverage, &remarks, request.language, paper::FORM.1);
    let paper = paper::assemble(request, plan, words, &authored.content, remarks);
    let document = layout::lay_out(&paper, words, request.language, facts.product);
    json!({
        "questionPaper": text::write(&document),
        "wordContent": STANDARD.encode(rtf::write(&document)),
        "filename": FILENAME,
        "data": paper,
        "meta": meta,
    })
}
