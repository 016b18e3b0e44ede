//! The body of the answer (SPECIFICATION.md GEN-1): the file, the same plan as plain text, the
//! structured document, and how it was made.

use banyan_functions::document::text;
use banyan_functions::metadata::{GenerationFacts, Remarks};
use banyan_functions::model::authoring::Authored;
use banyan_functions::sanitise;
use banyan_functions::spacing;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::content::Content;
use crate::layout;
use crate::lesson;
use crate::plan::Plan;
use crate::request::LessonRequest;
use crate::words::Words;

/// Builds the body; `docContent` and `lessonPlan` depend only on plan, text and remarks.
pub fn body(
    request: &LessonRequest,
    plan: &Plan,
    words: &Words,
    authored: Authored<Content>,
    remarks: Remarks,
    facts: &GenerationFacts<'_>,
) -> Value {
    let coverage = authored.content.coverage;
    let meta = facts.meta(&authored, coverage, &remarks, request.language, lesson::FORM.1);
    let lesson = lesson::assemble(request, plan, words, authored.content, remarks);
    let document = layout::lay_out(&lesson, words, request.language, facts.product);
    json!({
        "docContent": STANDARD.encode(request.format.write(&document)),
        "lessonPlan": text::write(&document),
        "filename": filename(request),
        "data": spacing::in_structure(&lesson),
        "meta": meta,
    })
}

/// `lesson-plan-class-10-electricity.rtf`; a chapter in another script is named by its subject.
fn filename(request: &LessonRequest) -> String {
    let subject = sanitise::slug(&request.subject, "chapter");
    let chapter: String = sanitise::slug(&request.chapter, &subject).chars().take(50).collect();
    let extension = request.format.extension();
    format!("lesson-plan-class-{}-{}.{extension}", request.class, chapter.trim_end_matches('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_name_is_safe_whatever_was_typed() {
        let name = |chapter: &str, subject: &str| {
            let body = json!({ "board": "CBSE", "class": 10, "subject": subject, "periods": 1, "chapter": chapter,
                               "bookName": "B", "publisher": "P" });
            filename(&LessonRequest::read(&body).unwrap())
        };
        assert_eq!(name("Electricity", "Science"), "lesson-plan-class-10-electricity.rtf");
        assert_eq!(name("../x\\y\".exe", "Science"), "lesson-plan-class-10-x-y-exe.rtf");
        assert_eq!(name("विद्युत", "Science"), "lesson-plan-class-10-science.rtf");
        assert_eq!(name("विद्युत", "विज्ञान"), "lesson-plan-class-10-chapter.rtf");
    }
}
