//! Reads the teacher's request. It brings every documented form of the input into one, or refuses
//! it plainly before any credit is touched (SPECIFICATION.md DOM-4.3).

use banyan_functions::document::Format;
use banyan_functions::error::FunctionError;
use banyan_functions::form::{Form, as_text};
use banyan_functions::metadata::{About, in_both};
use banyan_functions::writing_system::{Language, StandIn, document_language};
use serde::Serialize;
use serde_json::{Value, json};

use crate::kind::Kind;
use crate::words::Words;

/// Longest learning objectives, in characters.
const OBJECTIVES_LIMIT: usize = 2_000;

/// Pages where the form leaves them blank.
const PAGES: u8 = 3;

/// How hard the items are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Hardness {
    /// Mostly ★.
    Easy,
    /// Mostly ★★.
    Medium,
    /// Mostly ★★★.
    Hard,
    /// A third each.
    Mixed,
}

/// A request in its one form.
#[derive(Debug, Clone, PartialEq)]
pub struct AidsRequest {
    /// Board as typed; unknown ones get neutral conventions.
    pub board: String,
    /// 1 to 12.
    pub class: u8,
    /// Subject as typed.
    pub subject: String,
    /// Each kind once, in the order of [`Kind::ALL`].
    pub kinds: Vec<Kind>,
    /// Chapter as typed.
    pub chapter: String,
    /// In lines; may be empty.
    pub objectives: String,
    /// How hard.
    pub hardness: Hardness,
    /// 1 to 10.
    pub pages: u8,
    /// The kind of file.
    pub format: Format,
    /// The language of the document.
    pub language: Language,
    /// Why English stands in for the language of the request.
    pub stand_in: Option<StandIn>,
    /// The chapter as typed, where `chapter` is its title in another language.
    pub typed_chapter: Option<String>,
}

impl AidsRequest {
    /// Reads the request body; unknown keys are ignored. `grade` and `class` are one field, and so
    /// are `aidTypes` and `aidType`, `chapterName` and `chapter`.
    ///
    /// # Errors
    /// `invalid_request` naming every field that is missing, too long or outside its options.
    pub fn read(body: &Value) -> Result<Self, FunctionError> {
        let body = &renamed(body);
        let mut form = Form::of(body);
        let (board, subject) = (form.line("board", "board"), form.line("subject", "subject"));
        let class = form.class_in("grade");
        let kinds = kinds(&mut form);
        let chapter = form.line("chapterName", "chapter");
        let objectives =
            form.optional_paragraph("learningObjectives", "learning objectives", OBJECTIVES_LIMIT);
        let hardness = form.choice("difficultyLevel", "Please choose easy, medium, hard or mixed.", hardness);
        let pages = form.choice("numberOfPages", "Please choose 1 to 10 pages.", pages);
        let (Some(class), Some(hardness), Some(pages), true) = (class, hardness, pages, form.is_good())
        else {
            return Err(form.refusal());
        };
        let format = Format::of(&form, Format::Docx);
        let choice = document_language(&subject, &board, &format!("{chapter} {objectives}"));
        let (language, stand_in) = (choice.language, choice.stand_in);
        Ok(Self {
            board,
            class,
            subject,
            kinds,
            chapter,
            objectives,
            hardness,
            pages,
            format,
            language,
            stand_in,
            typed_chapter: None,
        })
    }

    /// The request as it is hashed and as a model is shown it.
    pub fn normalised(&self) -> Value {
        json!({
            "board": self.board, "grade": self.class, "subject": self.subject, "aidTypes": self.kinds,
            "chapterName": self.chapter, "learningObjectives": self.objectives,
            "difficultyLevel": self.hardness, "numberOfPages": self.pages, "preferredFormat": self.format,
        })
    }

    /// The chapter, with the subject in the document's language.
    pub fn about(&self, words: &Words) -> About {
        About {
            board: self.board.clone(),
            class: self.class,
            subject: words.common.subject(&self.subject).to_owned(),
            chapter: in_both(&self.chapter, self.typed_chapter.as_deref()),
            book: String::new(),
            publisher: String::new(),
        }
    }

    /// Everything the teacher typed, for the safety rules.
    pub fn typed(&self) -> [&str; 4] {
        [&self.chapter, &self.objectives, &self.subject, &self.board]
    }
}

/// Fields under the names that the signed-in form uses.
fn renamed(body: &Value) -> Value {
    let mut body = body.clone();
    for (other, name) in [("class", "grade"), ("aidType", "aidTypes"), ("chapter", "chapterName")] {
        if body[name].is_null() && !body[other].is_null() {
            body[name] = body[other].clone();
        }
    }
    body
}

/// A list, or one text with commas.
fn kinds(form: &mut Form<'_>) -> Vec<Kind> {
    let named: Vec<String> = match form.raw("aidTypes") {
        Value::Array(items) => items.iter().map(as_text).collect(),
        Value::String(text) => text.split(',').map(str::to_owned).collect(),
        _ => Vec::new(),
    };
    let found: Vec<Option<Kind>> = named.iter().map(|name| Kind::parse(name)).collect();
    if found.is_empty() || found.contains(&None) {
        form.problem("aidTypes", "Please choose at least one type of teaching aid from the list.");
    }
    Kind::ALL.into_iter().filter(|kind| found.contains(&Some(*kind))).collect()
}

fn hardness(text: &str) -> Option<Hardness> {
    match text.split_whitespace().next()? {
        "easy" | "beginner" => Some(Hardness::Easy),
        "medium" | "intermediate" => Some(Hardness::Medium),
        "hard" | "advanced" => Some(Hardness::Hard),
        "mixed" | "varied" => Some(Hardness::Mixed),
        _ => None,
    }
}

fn pages(text: &str) -> Option<u8> {
    if text.is_empty() {
        return Some(PAGES);
    }
    let word = text.trim_end_matches('s').trim_end_matches("page").trim();
    let word = word.strip_suffix(".0").unwrap_or(word);
    word.parse().ok().filter(|pages| (1..=10).contains(pages))
}

#[cfg(test)]
mod tests {
    use banyan_functions::error::FunctionRefusal;

    use super::*;

    fn body() -> Value {
        json!({ "board": "CBSE", "grade": "10", "subject": "Science", "aidTypes": ["worksheets", "games"],
                "chapterName": "Electricity", "difficultyLevel": "medium", "numberOfPages": 3,
                "preferredFormat": "Word Document (.docx)" })
    }

    #[test]
    fn every_documented_form_of_a_field_is_read() {
        let table = [
            ("aidTypes", json!(["Practice Sheets"]), json!({ "aidTypes": ["practice-sheets"] })),
            ("aidTypes", json!("quiz, assessment rubrics"), json!({ "aidTypes": ["quiz", "rubrics"] })),
            (
                "aidTypes",
                json!(["games", "worksheets", "Games"]),
                json!({ "aidTypes": ["worksheets", "games"] }),
            ),
            ("aidTypes", json!(["presentation slide content"]), json!({ "aidTypes": ["presentation"] })),
            ("aidTypes", json!(["Activity-Sheets"]), json!({ "aidTypes": ["interactive-activities"] })),
            ("grade", json!("Class X"), json!({ "grade": 10 })),
            ("grade", json!("10th"), json!({ "grade": 10 })),
            ("difficultyLevel", json!("Hard"), json!({ "difficultyLevel": "hard" })),
            ("numberOfPages", json!("5"), json!({ "numberOfPages": 5 })),
            ("numberOfPages", json!(null), json!({ "numberOfPages": 3 })),
            ("preferredFormat", json!("Rich Text (.rtf)"), json!({ "preferredFormat": "rtf" })),
            ("preferredFormat", json!("PDF"), json!({ "preferredFormat": "docx" })),
        ];
        for (field, value, expected) in table {
            let mut body = body();
            body[field] = value.clone();
            let read = AidsRequest::read(&body).expect("a valid request").normalised();
            assert_eq!(read[field], expected[field], "{value}");
        }
        for kind in Kind::ALL {
            assert_eq!(Kind::parse(kind.id()), Some(kind));
        }
    }

    #[test]
    fn values_outside_the_options_are_refused_by_field() {
        let wrong = [
            ("grade", json!(13)),
            ("aidTypes", json!([])),
            ("aidTypes", json!(["posters"])),
            ("aidTypes", json!(null)),
            ("chapterName", json!(" ")),
            ("learningObjectives", json!("x".repeat(2_001))),
            ("difficultyLevel", json!("extreme")),
            ("numberOfPages", json!(0)),
            ("numberOfPages", json!(11)),
            ("numberOfPages", json!("many")),
            ("board", json!(null)),
        ];
        for (field, value) in wrong {
            let mut body = body();
            body[field] = value.clone();
            match AidsRequest::read(&body) {
                Err(FunctionError::Refused(FunctionRefusal::InvalidRequest { fields, .. })) => {
                    assert_eq!(fields.keys().collect::<Vec<_>>(), [field], "{value}");
                }
                other => panic!("{field} = {value}: {other:?}"),
            }
        }
    }
}
