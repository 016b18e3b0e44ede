//! The body of the answer (SPECIFICATION.md GEN-1): the file, the same paper as plain text, the
//! structured document, and how it was made.

use banyan_functions::document::{Format, text};
use banyan_functions::metadata::{GenerationFacts, Remarks};
use banyan_functions::model::authoring::Authored;
use banyan_functions::spacing;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::content::Content;
use crate::layout;
use crate::paper;
use crate::plan::Plan;
use crate::request::PaperRequest;
use crate::words::Words;

/// Builds the body; `wordContent` and `questionPaper` depend only on plan, text and remarks.
pub fn body(
    request: &PaperRequest,
    plan: &Plan,
    words: &Words,
    authored: &Authored<Content>,
    remarks: Remarks,
    facts: &GenerationFacts<'_>,
) -> Value {
    let coverage = authored.content.coverage;
    let meta = facts.meta(authored, coverage, &remarks, request.language, paper::FORM.1);
    let paper = paper::assemble(request, plan, words, &authored.content, remarks);
    let document = layout::lay_out(&paper, words, request.language, facts.product);
    json!({
        "questionPaper": text::write(&document),
        "wordContent": STANDARD.encode(request.format.write(&document)),
        "filename": filename(request.format),
        "data": spacing::in_structure(&paper),
        "meta": meta,
    })
}

/// RTF in a `.doc` opens everywhere (SPECIFICATION.md DOM-10.6).
fn filename(format: Format) -> &'static str {
    match format {
        Format::Rtf => "question-paper.doc",
        Format::Docx => "question-paper.docx",
    }
}
