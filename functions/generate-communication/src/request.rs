//! Reads the teacher's request. It brings every documented form of the input into one, or refuses
//! it plainly before any credit is touched (SPECIFICATION.md DOM-4.3).

use banyan_functions::dates::Day;
use banyan_functions::document::Format;
use banyan_functions::error::FunctionError;
use banyan_functions::form::{FIELD_LIMIT, Form};
use banyan_functions::moderation::forbidden_requests::{self, Readers};
use banyan_functions::writing_system::{Language, StandIn, typed_language};
use serde::Serialize;
use serde_json::{Value, json};

/// Longest purpose, in characters.
const PURPOSE_LIMIT: usize = 300;

/// The field of the message text.
const DETAILS_FIELD: &str = "keyDetails";

/// Longest key details.
const DETAILS_LIMIT: usize = 4_000;

/// Longest signature.
const SIGNATURE_LIMIT: usize = 300;

/// How it reaches its readers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Medium {
    /// A message for a group on WhatsApp.
    Whatsapp,
    /// An invitation to a meeting of parents and teachers.
    Ptm,
    /// A circular or notice.
    Formal,
}

/// Its tone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tone {
    /// As an office writes.
    Formal,
    /// Courteous and plain.
    SemiFormal,
    /// Warm.
    Friendly,
}

/// A request in its one form.
#[derive(Debug, Clone, PartialEq)]
pub struct CommunicationRequest {
    /// How it reaches its readers.
    pub medium: Medium,
    /// Empty when unknown.
    pub school: String,
    /// As typed.
    pub sender_role: String,
    /// As typed.
    pub sender_name: String,
    /// As typed.
    pub audience: String,
    /// The day that it is about.
    pub event: Day,
    /// As typed.
    pub purpose: String,
    /// As typed, in lines.
    pub key_details: String,
    /// The tone.
    pub tone: Tone,
    /// Signature or closing, in lines; empty without one.
    pub signature: String,
    /// The kind of file; RTF unless a Word document is asked for (S-277).
    pub format: Format,
    /// The language of the document.
    pub language: Language,
    /// Why English stands in for the language of the request.
    pub stand_in: Option<StandIn>,
}

impl CommunicationRequest {
    /// Reads the request body; unknown keys are ignored.
    ///
    /// # Errors
    /// `invalid_request` naming every field that is missing, too long or outside its options.
    pub fn read(body: &Value) -> Result<Self, FunctionError> {
        let mut form = Form::of(body);
        let medium = form.choice("communicationType", "Please choose WhatsApp, PTM or formal.", medium);
        let tone = match form.raw("tone") {
            Value::Null => Some(Tone::Formal),
            _ => form.choice("tone", "Please choose formal, semi-formal or friendly.", tone),
        };
        let event = form.choice("eventDate", "Please give the event date as YYYY-MM-DD.", Day::parse);
        let school = form.optional_line("schoolName", "school name", FIELD_LIMIT);
        let sender_role = form.line("senderRole", "sender's role");
        let sender_name = form.line("senderName", "sender's name");
        let audience = form.line("targetAudience", "target audience");
        let purpose = form.long_line("purpose", "purpose", PURPOSE_LIMIT);
        let key_details = form.paragraph(DETAILS_FIELD, "key details", DETAILS_LIMIT);
        let signature = form.optional_paragraph("signature", "signature", SIGNATURE_LIMIT);
        let (Some(medium), Some(tone), Some(event), true) = (medium, tone, event, form.is_good()) else {
            return Err(form.refusal());
        };
        let choice = typed_language(
            &format!("{purpose} {key_details}"),
            &format!("{audience} {sender_role} {school}"),
        );
        let format = Format::of(&form, Format::Rtf);
        let (language, stand_in) = (choice.language, choice.stand_in);
        Ok(Self {
            medium,
            school,
            sender_role,
            sender_name,
            audience,
            event,
            purpose,
            key_details,
            tone,
            signature,
            format,
            language,
            stand_in,
        })
    }

    /// The request as it is hashed and as a model is shown it.
    pub fn normalised(&self) -> Value {
        self.format.beside(
            Format::Rtf,
            json!({
                "communicationType": self.medium, "schoolName": self.school, "senderRole": self.sender_role,
                "senderName": self.sender_name, "targetAudience": self.audience, "eventDate": self.event.to_string(),
                "purpose": self.purpose, "keyDetails": self.key_details, "tone": self.tone,
                "signature": self.signature,
            }),
        )
    }

    /// Where the answers to it would be read.
    pub fn readers(&self) -> Readers {
        if self.medium == Medium::Whatsapp { Readers::Group } else { Readers::Letter }
    }

    /// Everything the teacher typed, for the safety rules.
    pub fn typed(&self) -> [&str; 7] {
        self.typed_fields().map(|(_, text)| text)
    }

    /// The same under the names of its fields.
    pub fn typed_fields(&self) -> [(&'static str, &str); 7] {
        [
            ("purpose", &self.purpose),
            (DETAILS_FIELD, &self.key_details),
            ("targetAudience", &self.audience),
            ("signature", &self.signature),
            ("schoolName", &self.school),
            ("senderName", &self.sender_name),
            ("senderRole", &self.sender_role),
        ]
    }

    /// The field that asks for what no message may ask for, or threatens. What only several fields
    /// say together is laid to the details.
    pub fn improper_field(&self) -> Option<&'static str> {
        let is_improper = |texts: &[&str]| forbidden_requests::is_improper(texts, self.readers());
        if !is_improper(&self.typed()) {
            return None;
        }
        let alone = self.typed_fields().into_iter().find(|(_, text)| is_improper(&[text]));
        Some(alone.map_or(DETAILS_FIELD, |(field, _)| field))
    }
}

fn medium(text: &str) -> Option<Medium> {
    let bare: String = text.chars().filter(|c| c.is_alphanumeric()).collect();
    match bare.trim_end_matches("message") {
        "whatsapp" => Some(Medium::Whatsapp),
        "ptm" | "parentteachermeeting" | "parentteachersmeeting" => Some(Medium::Ptm),
        "formal" | "formalnotice" | "formalletter" | "notice" | "circular" => Some(Medium::Formal),
        _ => None,
    }
}

fn tone(text: &str) -> Option<Tone> {
    match text.replace(['-', '_', ' '], "").as_str() {
        "" | "formal" => Some(Tone::Formal),
        "semiformal" => Some(Tone::SemiFormal),
        "friendly" => Some(Tone::Friendly),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use banyan_functions::error::FunctionRefusal;

    use super::*;

    fn body() -> Value {
        json!({ "communicationType": "ptm", "senderRole": "Class Teacher", "senderName": "Asha Rao",
                "targetAudience": "Parents of Class VIII", "eventDate": "2027-01-15",
                "purpose": "Parent-teacher meeting", "keyDetails": "Time: 10:00 a.m.", "tone": "formal",
                "outputType": "download" })
    }

    #[test]
    fn every_documented_form_of_type_tone_and_date_is_read() {
        let table = [
            ("communicationType", json!("WhatsApp"), json!({ "communicationType": "whatsapp" })),
            ("communicationType", json!("whats app message"), json!({ "communicationType": "whatsapp" })),
            ("communicationType", json!("Parent-Teacher Meeting"), json!({ "communicationType": "ptm" })),
            ("communicationType", json!("Circular"), json!({ "communicationType": "formal" })),
            ("tone", json!("Semi Formal"), json!({ "tone": "semi-formal" })),
            ("tone", json!(null), json!({ "tone": "formal" })),
            ("eventDate", json!("15/01/2027"), json!({ "eventDate": "15-01-2027" })),
            ("eventDate", json!("2027-01-15T10:00"), json!({ "eventDate": "15-01-2027" })),
        ];
        for (field, value, expected) in table {
            let mut body = body();
            body[field] = value.clone();
            let read = CommunicationRequest::read(&body).expect("a valid request").normalised();
            assert_eq!(read[field], expected[field], "{value}");
        }
    }

    #[test]
    fn values_outside_the_options_are_refused_by_field() {
        let wrong = [
            ("communicationType", json!("email")),
            ("communicationType", json!(null)),
            ("tone", json!("angry")),
            ("eventDate", json!("2027-02-30")),
            ("eventDate", json!("")),
            ("schoolName", json!("x".repeat(201))),
            ("senderName", json!(" ")),
            ("senderRole", json!([])),
            ("targetAudience", json!("x".repeat(201))),
            ("purpose", json!("x".repeat(301))),
            ("keyDetails", json!("x".repeat(4_001))),
            ("signature", json!("x".repeat(301))),
        ];
        for (field, value) in wrong {
            let mut body = body();
            body[field] = value.clone();
            match CommunicationRequest::read(&body) {
                Err(FunctionError::Refused(FunctionRefusal::InvalidRequest { fields, .. })) => {
                    assert_eq!(fields.keys().collect::<Vec<_>>(), [field], "{value}");
                }
                other => panic!("{field} = {value}: {other:?}"),
            }
        }
    }

    // rows: D19
    #[test]
    fn the_language_is_that_of_purpose_and_details() {
        for (purpose, details, language) in [
            ("अभिभावक बैठक", "समय: प्रातः 10 बजे\nस्थान: सभागार में", Language::Hindi),
            ("पालक सभा", "वेळ: सकाळी 10 वाजता\nठिकाण: शाळेचे सभागृह", Language::Marathi),
            ("વાલી બેઠક", "સમય: સવારે 10 વાગ્યે", Language::Gujarati),
            ("PTM", "Time: 10 a.m.", Language::English),
        ] {
            let mut body = body();
            body["purpose"] = json!(purpose);
            body["keyDetails"] = json!(details);
            assert_eq!(CommunicationRequest::read(&body).unwrap().language, language, "{purpose}");
        }
    }
}
