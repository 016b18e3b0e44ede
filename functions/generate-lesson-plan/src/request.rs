//! Reads the teacher's request. It brings every documented form of the input into one, or refuses
//! it plainly before any credit is touched (SPECIFICATION.md DOM-4.3).

use banyan_functions::document::Format;
use banyan_functions::error::FunctionError;
use banyan_functions::form::Form;
use banyan_functions::metadata::{About, in_both};
use banyan_functions::writing_system::{Language, StandIn, document_language};
use banyan_samples::SampleText;
use serde_json::{Value, json};

use crate::words::Words;

/// A lesson plan request in its one form.
#[derive(Debug, Clone, PartialEq)]
pub struct LessonRequest {
    /// Board as typed; unknown ones get neutral conventions.
    pub board: String,
    /// 1 to 12.
    pub class: u8,
    /// Subject as typed.
    pub subject: String,
    /// 1 to 5.
    pub periods: u8,
    /// Chapter as typed.
    pub chapter: String,
    /// Book as typed.
    pub book: String,
    /// Publisher as typed.
    pub publisher: String,
    /// Marker of a sample file; empty without one.
    pub sample: String,
    /// What that file says, once it is read.
    pub sample_text: Option<SampleText>,
    /// The kind of file; RTF unless a Word document is asked for.
    pub format: Format,
    /// The language of the document.
    pub language: Language,
    /// Why English stands in for the language of the request.
    pub stand_in: Option<StandIn>,
    /// The chapter as typed, where `chapter` is its title in another language.
    pub typed_chapter: Option<String>,
}

impl LessonRequest {
    /// Reads the request body; unknown keys are ignored.
    ///
    /// # Errors
    /// `invalid_request` naming every field that is missing, too long or outside its options.
    pub fn read(body: &Value) -> Result<Self, FunctionError> {
        let mut form = Form::of(body);
        let (board, subject) = (form.line("board", "board"), form.line("subject", "subject"));
        let (chapter, book) = (form.line("chapter", "chapter"), form.line("bookName", "book name"));
        let publisher = form.line("publisher", "publisher");
        let class = form.class();
        let periods = form.choice("periods", "Please choose 1 to 5 periods.", parse_periods);
        let (Some(class), Some(periods), true) = (class, periods, form.is_good()) else {
            return Err(form.refusal());
        };
        let choice = document_language(&subject, &board, &chapter);
        let sample = form.marker("referencePlanUrl");
        let format = Format::of(&form, Format::Rtf);
        let (language, stand_in) = (choice.language, choice.stand_in);
        Ok(Self {
            board,
            class,
            subject,
            periods,
            chapter,
            book,
            publisher,
            sample,
            sample_text: None,
            format,
            language,
            stand_in,
            typed_chapter: None,
        })
    }

    /// The request as it is hashed and as a model is shown it.
    pub fn normalised(&self) -> Value {
        self.format.beside(
            Format::Rtf,
            json!({
                "board": self.board, "class": self.class, "subject": self.subject, "periods": self.periods,
                "chapter": self.chapter, "bookName": self.book, "publisher": self.publisher,
                "referencePlanUrl": self.sample,
            }),
        )
    }

    /// The chapter, with the subject in the document's language.
    pub fn about(&self, words: &Words) -> About {
        About {
            board: self.board.clone(),
            class: self.class,
            subject: words.common.subject(&self.subject).to_owned(),
            chapter: in_both(&self.chapter, self.typed_chapter.as_deref()),
            book: self.book.clone(),
            publisher: self.publisher.clone(),
        }
    }

    /// Everything the teacher typed, for the safety rules.
    pub fn typed(&self) -> [&str; 5] {
        [&self.chapter, &self.subject, &self.book, &self.publisher, &self.board]
    }
}

fn parse_periods(text: &str) -> Option<u8> {
    let word = text.trim_end_matches('s').trim_end_matches("period").trim();
    let word = word.strip_suffix(".0").unwrap_or(word);
    word.parse().ok().filter(|periods| (1..=5).contains(periods))
}

#[cfg(test)]
mod tests {
    use banyan_functions::error::FunctionRefusal;

    use super::*;

    fn body() -> Value {
        json!({ "board": "CBSE", "class": "10", "subject": "Science", "periods": "5", "chapter": "Electricity",
                "bookName": "Science", "publisher": "NCERT", "referencePlanUrl": null })
    }

    #[test]
    fn every_documented_form_of_the_periods_is_read() {
        for periods in [json!(3), json!("3"), json!("3 periods"), json!(3.0), json!("३")] {
            let mut body = body();
            body["periods"] = periods.clone();
            assert_eq!(LessonRequest::read(&body).unwrap().periods, 3, "{periods}");
        }
    }

    #[test]
    fn values_outside_the_options_are_refused_by_field() {
        let wrong = [
            ("class", json!(13)),
            ("class", json!(0)),
            ("class", json!("ten")),
            ("class", json!(2.5)),
            ("periods", json!(0)),
            ("periods", json!(6)),
            ("periods", json!("many")),
            ("chapter", json!("  ")),
            ("chapter", json!("x".repeat(201))),
            ("board", json!(null)),
            ("bookName", json!(["a"])),
            ("publisher", json!({})),
            ("subject", json!("")),
        ];
        for (field, value) in wrong {
            let mut body = body();
            body[field] = value.clone();
            match LessonRequest::read(&body) {
                Err(FunctionError::Refused(FunctionRefusal::InvalidRequest { fields, .. })) => {
                    assert_eq!(fields.keys().collect::<Vec<_>>(), [field], "{value}");
                }
                other => panic!("{field} = {value}: {other:?}"),
            }
        }
    }

    #[test]
    fn all_missing_fields_are_named_at_once() {
        let Err(FunctionError::Refused(FunctionRefusal::InvalidRequest { fields, .. })) =
            LessonRequest::read(&json!({}))
        else {
            panic!("an empty request must be refused");
        };
        assert_eq!(fields.len(), 7);
    }

    #[test]
    fn equal_requests_in_different_forms_have_one_normal_form() {
        let mut other = body();
        other["class"] = json!("Class X");
        other["periods"] = json!(5);
        other["chapter"] = json!("  Electricity\u{200B} ");
        other["unknown"] = json!(1);
        let read = |body| LessonRequest::read(&body).unwrap().normalised();
        assert_eq!(read(body()), read(other));
    }
}
