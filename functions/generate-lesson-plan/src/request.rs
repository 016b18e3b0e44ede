//! What the teacher asked for: every documented form of the input brought to one, or a plain refusal
//! before any credit is touched (domain.md 4.3).

use std::collections::BTreeMap;

use banyan_functions::error::FunctionError;
use banyan_functions::sanitise;
use banyan_functions::script::{Language, document_language};
use serde_json::{Value, json};

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
    /// The language of the document.
    pub language: Language,
    /// The request is in a script without built-in text; English stands in.
    pub stand_in: bool,
}

/// Longest single-line field, in characters as a reader counts them.
const FIELD_LIMIT: usize = 200;

impl LessonRequest {
    /// Reads the request body; unknown keys are ignored.
    ///
    /// # Errors
    /// `invalid_request` naming every field that is missing, too long or outside its options.
    pub fn read(body: &Value) -> Result<Self, FunctionError> {
        let mut problems = BTreeMap::new();
        let mut text = |name: &str, label: &str| {
            let value = sanitise::line(&as_text(&body[name]));
            if value.is_empty() {
                problems.insert(name.to_owned(), format!("Please give the {label}."));
            } else if sanitise::visible_length(&value) > FIELD_LIMIT {
                let problem = format!("The {label} may have at most {FIELD_LIMIT} characters.");
                problems.insert(name.to_owned(), problem);
            }
            value
        };
        let (board, subject) = (text("board", "board"), text("subject", "subject"));
        let (chapter, book) = (text("chapter", "chapter"), text("bookName", "book name"));
        let publisher = text("publisher", "publisher");
        let class = parse_class(&as_text(&body["class"]));
        let periods = parse_periods(&as_text(&body["periods"]));
        if class.is_none() {
            problems.insert("class".to_owned(), "Please choose a class from 1 to 12.".to_owned());
        }
        if periods.is_none() {
            problems.insert("periods".to_owned(), "Please choose 1 to 5 periods.".to_owned());
        }
        let (Some(class), Some(periods), true) = (class, periods, problems.is_empty()) else {
            return Err(refusal(problems));
        };
        let choice = document_language(&subject, &board, &chapter);
        let sample: String = sanitise::line(&as_text(&body["referencePlanUrl"])).chars().take(500).collect();
        let (language, stand_in) = (choice.language, choice.stand_in);
        Ok(Self { board, class, subject, periods, chapter, book, publisher, sample, language, stand_in })
    }

    /// The request as it is hashed and as a model is shown it.
    pub fn normalised(&self) -> Value {
        json!({
            "board": self.board, "class": self.class, "subject": self.subject, "periods": self.periods,
            "chapter": self.chapter, "bookName": self.book, "publisher": self.publisher,
            "referencePlanUrl": self.sample,
        })
    }

    /// Everything the teacher typed, for the safety rules.
    pub fn typed(&self) -> [&str; 5] {
        [&self.chapter, &self.subject, &self.book, &self.publisher, &self.board]
    }
}

fn refusal(fields: BTreeMap<String, String>) -> FunctionError {
    let message = fields.values().next().cloned().unwrap_or_default();
    FunctionError::InvalidRequest { message, fields }
}

/// Numbers may come as numbers or as text.
fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    }
}

/// `10`, `Class 10`, `10th`, `X`, `कक्षा १०`.
fn parse_class(text: &str) -> Option<u8> {
    const ROMAN: [&str; 12] = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii"];
    let text = with_ascii_digits(&sanitise::line(text)).to_lowercase();
    let mut word = text.as_str();
    for prefix in ["class", "standard", "std.", "std", "grade", "कक्षा", "इयत्ता"] {
        word = word.strip_prefix(prefix).unwrap_or(word).trim_start_matches(['-', '.', ' ']);
    }
    if let Some(at) = ROMAN.iter().position(|roman| *roman == word) {
        return u8::try_from(at + 1).ok();
    }
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|end| word.strip_suffix(end)).unwrap_or(word);
    let digits = digits.strip_suffix(".0").unwrap_or(digits);
    digits.trim().parse().ok().filter(|class| (1..=12).contains(class))
}

fn parse_periods(text: &str) -> Option<u8> {
    let text = with_ascii_digits(&sanitise::line(text)).to_lowercase();
    let word = text.trim_end_matches('s').trim_end_matches("period").trim();
    let word = word.strip_suffix(".0").unwrap_or(word);
    word.parse().ok().filter(|periods| (1..=5).contains(periods))
}

fn with_ascii_digits(text: &str) -> String {
    const ZEROS: [char; 4] = ['०', '૦', '౦', '೦'];
    let ascii = |c: char| {
        let value = ZEROS.iter().find_map(|zero| (c as u32).checked_sub(*zero as u32).filter(|v| *v < 10));
        value.and_then(|value| char::from_digit(value, 10)).unwrap_or(c)
    };
    text.chars().map(ascii).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body() -> Value {
        json!({ "board": "CBSE", "class": "10", "subject": "Science", "periods": "5", "chapter": "Electricity",
                "bookName": "Science", "publisher": "NCERT", "referencePlanUrl": null })
    }

    #[test]
    fn every_documented_form_of_the_class_is_read() {
        let ten = [
            json!(10),
            json!(10.0),
            json!("10"),
            json!("Class 10"),
            json!("10th"),
            json!("X"),
            json!("class x"),
            json!("Std. 10"),
            json!("कक्षा 10"),
            json!("१०"),
            json!(" Grade  10 "),
        ];
        for class in ten {
            let mut body = body();
            body["class"] = class.clone();
            assert_eq!(LessonRequest::read(&body).unwrap().class, 10, "{class}");
        }
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
                Err(FunctionError::InvalidRequest { fields, .. }) => {
                    assert_eq!(fields.keys().collect::<Vec<_>>(), [field], "{value}");
                }
                other => panic!("{field} = {value}: {other:?}"),
            }
        }
    }

    #[test]
    fn all_missing_fields_are_named_at_once() {
        let Err(FunctionError::InvalidRequest { fields, .. }) = LessonRequest::read(&json!({})) else {
            panic!("an empty request must be refused");
        };
        assert_eq!(fields.len(), 7);
    }

    #[test]
    fn a_limit_counts_what_a_reader_sees() {
        let mut body = body();
        body["chapter"] = json!("क्षि".repeat(200));
        assert!(LessonRequest::read(&body).is_ok());
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
