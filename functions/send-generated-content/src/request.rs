//! The document of a request: its file by content, its name made safe, its text.

use banyan_functions::error::FunctionError;
use banyan_functions::form::Form;
use banyan_functions::{sanitise, seed};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// Largest file, in bytes (S-391).
pub const FILE_LIMIT: usize = 5 * 1024 * 1024;

/// Longest text beside the file, in characters.
const TEXT_LIMIT: usize = 200_000;

/// The kinds of documents, as subjects name them.
const KINDS: [&str; 4] = ["Lesson Plan", "Question Paper", "Teaching Aids", "Communication"];

/// A document to be mailed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendRequest {
    /// The kind of document, such as `Lesson Plan`.
    pub kind: &'static str,
    /// Name and extension, `[a-z0-9-]` and a dot.
    pub filename: String,
    /// The file's media type.
    pub content_type: &'static str,
    /// The file.
    pub file: Vec<u8>,
    /// The document as plain text; may be empty.
    pub text: String,
}

impl SendRequest {
    /// Reads the request body; unknown keys, the address among them, are ignored.
    ///
    /// # Errors
    /// `invalid_request` naming every field that is missing, too long or no document.
    pub fn read(body: &Value) -> Result<Self, FunctionError> {
        let mut form = Form::of(body);
        let kind = form.choice("type", "Please say which kind of document this is.", kind);
        let name = form.line("filename", "file name");
        let text = form.optional_paragraph("content", "content", TEXT_LIMIT);
        let field = if body["documentContent"].is_string() { "documentContent" } else { "wordContent" };
        let file = file(body[field].as_str().unwrap_or_default());
        if let Err(problem) = &file {
            form.problem(field, problem);
        }
        let (Some(kind), Ok((file, container)), true) = (kind, file, form.is_good()) else {
            return Err(form.refusal());
        };
        let (filename, content_type) = container.named(&name);
        Ok(Self { kind, filename, content_type, file, text })
    }

    /// Names the request: equal documents of one kind under one name are one mail.
    pub fn hash(&self) -> String {
        let file = STANDARD.encode(&self.file);
        let asked = json!({ "type": self.kind, "filename": self.filename, "file": file, "text": self.text });
        seed::body_hash("send-generated-content", &asked)
    }
}

fn kind(text: &str) -> Option<&'static str> {
    KINDS.into_iter().find(|kind| kind.to_lowercase() == text)
}

/// The file type by content, whatever its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Container {
    Rtf,
    Docx,
}

impl Container {
    fn of(bytes: &[u8]) -> Option<Self> {
        const PART: &[u8] = b"word/document.xml";
        if bytes.starts_with(b"{\\rtf1") {
            Some(Self::Rtf)
        } else if bytes.starts_with(b"PK\x03\x04") && bytes.windows(PART.len()).any(|window| window == PART) {
            Some(Self::Docx)
        } else {
            None
        }
    }

    /// A safe name with the extension of the content; only RTF may also be called `.doc`
    /// (SPECIFICATION.md DOM-10.6).
    fn named(self, name: &str) -> (String, &'static str) {
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
        let stem = sanitise::slug(stem, "document");
        match (self, extension.to_ascii_lowercase().as_str()) {
            (Self::Rtf, "doc") => (format!("{stem}.doc"), "application/msword"),
            (Self::Rtf, _) => (format!("{stem}.rtf"), "application/rtf"),
            (Self::Docx, _) => (
                format!("{stem}.docx"),
                "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            ),
        }
    }
}

fn file(text: &str) -> Result<(Vec<u8>, Container), &'static str> {
    if text.is_empty() {
        return Err("Please send the document.");
    }
    let bytes = STANDARD.decode(text).map_err(|_| "The document did not arrive whole.")?;
    if bytes.len() > FILE_LIMIT {
        return Err("The document may have at most 5 MB.");
    }
    let container = Container::of(&bytes).ok_or("Only Word and rich text documents can be mailed.")?;
    Ok((bytes, container))
}

#[cfg(test)]
mod tests {
    use banyan_functions::error::FunctionRefusal;

    use super::*;

    fn body(filename: &str, file: &[u8]) -> Value {
        json!({ "type": "Question Paper", "filename": filename, "content": "1. Why?",
                "wordContent": STANDARD.encode(file), "email": "thief@example.com" })
    }

    fn named(filename: &str, file: &[u8]) -> (String, &'static str) {
        let request = SendRequest::read(&body(filename, file)).unwrap();
        (request.filename, request.content_type)
    }

    #[test]
    fn extension_and_bytes_agree_and_the_name_is_safe() {
        const RTF: &[u8] = b"{\\rtf1 }";
        const DOCX: &[u8] = b"PK\x03\x04....word/document.xml";
        assert_eq!(named("question-paper.doc", RTF), ("question-paper.doc".to_owned(), "application/msword"));
        assert_eq!(named("plan.docx", RTF), ("plan.rtf".to_owned(), "application/rtf"));
        assert_eq!(named("aids.doc", DOCX).0, "aids.docx");
        assert_eq!(named("../x\r\nBcc: y.rtf", RTF).0, "x-bcc-y.rtf");
        assert_eq!(named("पाठ.rtf", RTF).0, "document.rtf");
    }

    #[test]
    fn what_is_no_document_is_refused_by_field() {
        let mut other = body("x.rtf", b"{\\rtf1 }");
        other["type"] = json!("Invoice");
        let mut broken = body("x.rtf", b"{\\rtf1 }");
        broken["wordContent"] = json!("{\\rtf1 }");
        let mut large = body("x.rtf", b"");
        large["wordContent"] = json!(STANDARD.encode([b"{\\rtf1".to_vec(), vec![b' '; FILE_LIMIT]].concat()));
        let cases = [
            (body("x.exe", b"MZ..."), "wordContent"),
            (body("x.docx", b"PK\x03\x04 a zip of something else"), "wordContent"),
            (body("x.rtf", b""), "wordContent"),
            (body("", b"{\\rtf1 }"), "filename"),
            (other, "type"),
            (broken, "wordContent"),
            (large, "wordContent"),
        ];
        for (body, field) in cases {
            let Err(FunctionError::Refused(FunctionRefusal::InvalidRequest { fields, .. })) =
                SendRequest::read(&body)
            else {
                panic!("{field} is taken")
            };
            assert_eq!(fields.keys().collect::<Vec<_>>(), [field]);
        }
    }
}
