//! The body of the answer (SPECIFICATION.md GEN-1): the file, the same aids as plain text, the
//! structured document, and how it was made.

use banyan_functions::document::text;
use banyan_functions::metadata::{GenerationFacts, Remarks};
use banyan_functions::model::authoring::Authored;
use banyan_functions::sanitise;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::aids;
use crate::content::Content;
use crate::layout;
use crate::plan::Plan;
use crate::request::AidsRequest;
use crate::words::Words;

/// Builds the body; file and text depend only on plan, text, remarks and seed.
pub fn body(
    request: &AidsRequest,
    plan: &Plan,
    words: &Words,
    authored: Authored<Content>,
    remarks: Remarks,
    facts: &GenerationFacts<'_>,
) -> Value {
    let coverage = authored.content.coverage;
    let meta = facts.meta(&authored, coverage, &remarks, request.language, aids::FORM.1);
    let aids = aids::assemble(request, plan, words, authored.content, remarks);
    let document = layout::lay_out(&aids, words, request.language, facts.product, facts.seed);
    json!({
        "success": true,
        "teachingAids": text::write(&document),
        "documentContent": STANDARD.encode(request.format.write(&document)),
        "filename": filename(request),
        "data": aids,
        "meta": meta,
    })
}

/// `teaching-aids-class-10-electricity.docx`; a chapter in another script is named by its subject.
fn filename(request: &AidsRequest) -> String {
    let subject = sanitise::slug(&request.subject, "chapter");
    let chapter: String = sanitise::slug(&request.chapter, &subject).chars().take(50).collect();
    let extension = request.format.extension();
    format!("teaching-aids-class-{}-{}.{extension}", request.class, chapter.trim_end_matches('-'))
}
