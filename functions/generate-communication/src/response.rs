//! The body of the answer (SPECIFICATION.md GEN-1): the file, the text to paste, the structured
//! document, and how it was made.

use banyan_functions::metadata::{GenerationFacts, Remarks};
use banyan_functions::model::authoring::Authored;
use banyan_functions::sanitise;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::content::Content;
use crate::estimate::{self, COVERAGE};
use crate::layout;
use crate::message;
use crate::request::{CommunicationRequest, Medium};
use crate::words::Words;

/// Builds the body; file and text depend only on request, text and remarks.
pub fn body(
    request: &CommunicationRequest,
    words: &Words,
    authored: Authored<Content>,
    remarks: Remarks,
    facts: &GenerationFacts<'_>,
) -> Value {
    let mut meta = facts.meta(&authored, COVERAGE, &remarks, request.language, message::FORM.1);
    let mut message = message::assemble(request, words, authored.content, remarks);
    let document = layout::lay_out(&mut message, words, request.language, facts.product);
    message.head.warnings.extend(estimate::too_long(request, words, &message.plain_text));
    meta["warnings"] = json!(message.head.warnings);
    json!({
        "generatedCommunication": message.plain_text,
        "documentContent": STANDARD.encode(request.format.write(&document)),
        "filename": filename(request),
        "data": message,
        "meta": meta,
    })
}

/// `communication-ptm-class-8-meeting.rtf`.
fn filename(request: &CommunicationRequest) -> String {
    let medium = match request.medium {
        Medium::Whatsapp => "whatsapp",
        Medium::Ptm => "ptm",
        Medium::Formal => "formal",
    };
    let purpose: String = sanitise::slug(&request.purpose, "message").chars().take(50).collect();
    let extension = request.format.extension();
    format!("communication-{medium}-{}.{extension}", purpose.trim_end_matches('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_name_is_safe_whatever_was_typed() {
        let name = |purpose: &str| {
            let body = json!({ "communicationType": "ptm", "senderRole": "R", "senderName": "N", "targetAudience": "A",
                               "eventDate": "2027-01-15", "purpose": purpose, "keyDetails": "x" });
            filename(&CommunicationRequest::read(&body).unwrap())
        };
        assert_eq!(name("PTM for Class 8"), "communication-ptm-ptm-for-class-8.rtf");
        assert_eq!(name("../x\r\nBcc: y"), "communication-ptm-x-bcc-y.rtf");
        assert_eq!(name("अभिभावक बैठक"), "communication-ptm-message.rtf");
    }
}
