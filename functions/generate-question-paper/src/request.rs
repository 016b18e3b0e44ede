//! Reads the teacher's request. It brings every documented form of the input into one, or refuses
//! it plainly before any credit is touched (SPECIFICATION.md DOM-4.3).

use banyan_functions::document::Format;
use banyan_functions::error::FunctionError;
use banyan_functions::form::{Form, as_text};
use banyan_functions::metadata::{About, in_both};
use banyan_functions::sanitise;
use banyan_functions::writing_system::{Language, StandIn, document_language};
use banyan_samples::SampleText;
use serde::Serialize;
use serde_json::{Value, json};

use crate::plan::QuestionType;
use crate::words::Words;

/// The totals of the form.
pub const MARKS: [u32; 6] = [20, 25, 50, 75, 80, 100];

/// How hard the paper is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Hardness {
    /// Beginner Level.
    Easy,
    /// Intermediate Level.
    Medium,
    /// Advanced Level.
    Hard,
    /// Varied Difficulty.
    Mixed,
}

impl Hardness {
    /// All, in the order of the form.
    pub const ALL: [Self; 4] = [Self::Easy, Self::Medium, Self::Hard, Self::Mixed];
}

/// A question paper request in its one form.
#[derive(Debug, Clone, PartialEq)]
pub struct PaperRequest {
    /// Board as typed; unknown ones get neutral conventions.
    pub board: String,
    /// 1 to 12.
    pub class: u8,
    /// Subject as typed.
    pub subject: String,
    /// Chapter as typed.
    pub chapter: String,
    /// Book as typed.
    pub book: String,
    /// Publisher as typed.
    pub publisher: String,
    /// One of [`MARKS`].
    pub marks: u32,
    /// 2 to 8: the form offers 1 to 4 hours in steps of a half.
    pub half_hours: u32,
    /// 2 to 6.
    pub sections: usize,
    /// How hard it is.
    pub hardness: Hardness,
    /// The ticked types in the order of the paper, each once.
    pub types: Vec<QuestionType>,
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

impl PaperRequest {
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
        let marks = form.choice("marks", "Please choose 20, 25, 50, 75, 80 or 100 marks.", parse_marks);
        let half_hours =
            form.choice("timeHours", "Please choose 1 to 4 hours, in steps of half an hour.", parse_time);
        let sections = form.choice("numberOfSections", "Please choose 2 to 6 sections.", parse_sections);
        let hardness = form.choice(
            "difficultyLevel",
            "Please choose the difficulty: easy, medium, hard or mixed.",
            parse_hardness,
        );
        let types = read_types(&mut form);
        let (Some(class), Some(marks), Some(half_hours), Some(sections), Some(hardness), true) =
            (class, marks, half_hours, sections, hardness, form.is_good())
        else {
            return Err(form.refusal());
        };
        let choice = document_language(&subject, &board, &chapter);
        let sample = form.marker("referencePaperUrl");
        let format = Format::of(&form, Format::Rtf);
        let (language, stand_in) = (choice.language, choice.stand_in);
        Ok(Self {
            board,
            class,
            subject,
            chapter,
            book,
            publisher,
            marks,
            half_hours,
            sections,
            hardness,
            types,
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
                "board": self.board, "class": self.class, "subject": self.subject, "chapter": self.chapter,
                "bookName": self.book, "publisher": self.publisher, "marks": self.marks,
                "timeHours": f64::from(self.half_hours) / 2.0, "numberOfSections": self.sections,
                "difficultyLevel": self.hardness, "questionTypes": self.types, "referencePaperUrl": self.sample,
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

/// `80`, `80.0`, `80 marks`.
fn parse_marks(text: &str) -> Option<u32> {
    let number = text.trim_end_matches("marks").trim();
    let number = number.strip_suffix(".0").unwrap_or(number);
    number.parse().ok().filter(|marks| MARKS.contains(marks))
}

/// `2.5`, `2½`, `3`, `3 hours`; in half hours.
fn parse_time(text: &str) -> Option<u32> {
    let number = text.trim_end_matches('s').trim_end_matches("hour").trim_end_matches("hr").trim();
    let (whole, half) = match (number.strip_suffix(".5"), number.strip_suffix(['½'])) {
        (Some(whole), _) | (None, Some(whole)) => (whole.trim(), 1),
        (None, None) => (number.strip_suffix(".0").unwrap_or(number), 0),
    };
    let halves = whole.parse::<u32>().ok()?.checked_mul(2)? + half;
    (2..=8).contains(&halves).then_some(halves)
}

fn parse_sections(text: &str) -> Option<usize> {
    let number = text.trim_end_matches('s').trim_end_matches("section").trim();
    let number = number.strip_suffix(".0").unwrap_or(number);
    number.parse().ok().filter(|sections| (2..=6).contains(sections))
}

/// The id or the label of the form: `easy`, `Easy (Beginner Level)`.
fn parse_hardness(text: &str) -> Option<Hardness> {
    let word = text.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    match word {
        "easy" | "beginner" => Some(Hardness::Easy),
        "medium" | "intermediate" => Some(Hardness::Medium),
        "hard" | "advanced" => Some(Hardness::Hard),
        "mixed" | "varied" => Some(Hardness::Mixed),
        _ => None,
    }
}

/// A list of ids or labels, or one text with commas; unknown ones are named.
fn read_types(form: &mut Form<'_>) -> Vec<QuestionType> {
    const FIELD: &str = "questionTypes";
    let typed: Vec<String> = match form.raw(FIELD) {
        Value::Array(items) => items.iter().map(as_text).collect(),
        Value::String(text) => text.split(',').map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    let mut types = Vec::new();
    for text in typed.iter().map(|text| sanitise::line(text)).filter(|text| !text.is_empty()) {
        match QuestionType::parse(&text) {
            Some(kind) => types.push(kind),
            None => {
                let shown: String = text.chars().take(40).collect();
                form.problem(FIELD, &format!("“{shown}” is no question type of the form."));
            }
        }
    }
    if types.is_empty() {
        form.problem(FIELD, "Please choose at least one question type.");
    }
    types.sort_unstable();
    types.dedup();
    types
}

#[cfg(test)]
mod tests {
    use banyan_functions::error::FunctionRefusal;

    use super::*;

    fn body() -> Value {
        json!({ "board": "CBSE", "class": "10", "subject": "Science", "chapter": "Electricity",
                "bookName": "Science", "publisher": "NCERT", "marks": 80, "timeHours": 3, "numberOfSections": 4,
                "difficultyLevel": "medium", "questionTypes": ["mcq", "short"], "referencePaperUrl": null })
    }

    fn with(field: &str, value: &Value) -> Result<PaperRequest, FunctionError> {
        let mut body = body();
        body[field] = value.clone();
        PaperRequest::read(&body)
    }

    #[test]
    fn every_documented_form_of_the_numbers_is_read() {
        for marks in [json!(80), json!("80"), json!(80.0), json!("80 marks"), json!("८०")] {
            assert_eq!(with("marks", &marks).unwrap().marks, 80, "{marks}");
        }
        for time in [json!(2.5), json!("2.5"), json!("2.5 hours"), json!("2½"), json!("2 ½ hrs")] {
            assert_eq!(with("timeHours", &time).unwrap().half_hours, 5, "{time}");
        }
        for time in [json!(3), json!("3"), json!("3.0"), json!("3 Hours")] {
            assert_eq!(with("timeHours", &time).unwrap().half_hours, 6, "{time}");
        }
        for sections in [json!(4), json!("4"), json!(4.0), json!("4 sections")] {
            assert_eq!(with("numberOfSections", &sections).unwrap().sections, 4, "{sections}");
        }
    }

    #[test]
    fn difficulties_and_types_are_read_by_id_and_by_label() {
        for (text, hardness) in [
            ("easy", Hardness::Easy),
            ("Easy (Beginner Level)", Hardness::Easy),
            ("MEDIUM", Hardness::Medium),
            ("Hard (Advanced Level)", Hardness::Hard),
            ("Mixed (Varied Difficulty)", Hardness::Mixed),
        ] {
            assert_eq!(with("difficultyLevel", &json!(text)).unwrap().hardness, hardness, "{text}");
        }
        let all = json!([
            "Long",
            "numerical",
            "MCQ",
            "fill in the blanks",
            "Match the following",
            "True/False",
            "very short",
            "short",
            "mcq"
        ]);
        assert_eq!(with("questionTypes", &all).unwrap().types, QuestionType::ALL);
        assert_eq!(
            with("questionTypes", &json!("true-false, very_short")).unwrap().types,
            [QuestionType::TrueFalse, QuestionType::VeryShort]
        );
    }

    #[test]
    fn values_outside_the_options_are_refused_by_field() {
        let wrong = [
            ("class", json!(13)),
            ("marks", json!(30)),
            ("marks", json!("many")),
            ("timeHours", json!(0.5)),
            ("timeHours", json!(4.5)),
            ("timeHours", json!(2.25)),
            ("timeHours", json!("99999999999")),
            ("numberOfSections", json!(1)),
            ("numberOfSections", json!(7)),
            ("difficultyLevel", json!("brutal")),
            ("questionTypes", json!([])),
            ("questionTypes", json!(["essay"])),
            ("questionTypes", json!(["mcq", "essay"])),
            ("questionTypes", json!(null)),
            ("chapter", json!("  ")),
            ("publisher", json!({})),
        ];
        for (field, value) in wrong {
            match with(field, &value) {
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
            PaperRequest::read(&json!({}))
        else {
            panic!("an empty request must be refused");
        };
        assert_eq!(fields.len(), 11);
    }

    #[test]
    fn equal_requests_in_different_forms_have_one_normal_form() {
        let mut other = body();
        other["class"] = json!("Class X");
        other["marks"] = json!("80");
        other["timeHours"] = json!("3.0");
        other["questionTypes"] = json!(["Short", "MCQ", "short"]);
        other["chapter"] = json!("  Electricity\u{200B} ");
        let read = |body: &Value| PaperRequest::read(body).unwrap().normalised();
        assert_eq!(read(&body()), read(&other));
    }
}
