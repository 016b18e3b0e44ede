//! A form as the client sends it: every documented form of a field brought to one, or a plain
//! refusal that names all fields at fault, before any credit is touched (SPECIFICATION.md DOM-4.3).

use std::collections::BTreeMap;

use serde_json::Value;

use crate::error::{FunctionError, FunctionRefusal};
use crate::sanitise;

/// Longest single-line field, in characters as a reader counts them (SPECIFICATION.md GEN-1.11).
pub const FIELD_LIMIT: usize = 200;

/// A request body that is being read, with what is wrong about it so far.
#[derive(Debug)]
pub struct Form<'a> {
    body: &'a Value,
    problems: BTreeMap<String, String>,
}

impl<'a> Form<'a> {
    /// Begins to read a body.
    pub fn of(body: &'a Value) -> Self {
        Self { body, problems: BTreeMap::new() }
    }

    /// One line of clean text that must be there; `label` names it to the teacher.
    pub fn line(&mut self, name: &str, label: &str) -> String {
        self.long_line(name, label, FIELD_LIMIT)
    }

    /// Reads a text with a limit of its own, in characters.
    pub fn long_line(&mut self, name: &str, label: &str, limit: usize) -> String {
        let value = self.within(name, label, limit, sanitise::line);
        self.there(name, label, &value);
        value
    }

    /// One line of clean text that may be empty.
    pub fn optional_line(&mut self, name: &str, label: &str, limit: usize) -> String {
        self.within(name, label, limit, sanitise::line)
    }

    /// Several lines of clean text that must be there.
    pub fn paragraph(&mut self, name: &str, label: &str, limit: usize) -> String {
        let value = self.optional_paragraph(name, label, limit);
        self.there(name, label, &value);
        value
    }

    /// Several lines of clean text that may be empty.
    pub fn optional_paragraph(&mut self, name: &str, label: &str, limit: usize) -> String {
        self.within(name, label, limit, sanitise::paragraph)
    }

    fn within(&mut self, name: &str, label: &str, limit: usize, clean: fn(&str) -> String) -> String {
        let value = clean(&as_text(&self.body[name]));
        if sanitise::visible_length(&value) > limit {
            self.problem(name, &format!("The {label} may have at most {limit} characters."));
        }
        value
    }

    fn there(&mut self, name: &str, label: &str, value: &str) {
        if value.is_empty() {
            self.problem(name, &format!("Please give the {label}."));
        }
    }

    /// The class, 1 to 12.
    pub fn class(&mut self) -> Option<u8> {
        self.class_in("class")
    }

    /// The class, 1 to 12, in a field of another name.
    pub fn class_in(&mut self, name: &str) -> Option<u8> {
        self.choice(name, "Please choose a class from 1 to 12.", parse_class)
    }

    /// A value out of several; `problem` is said when `parse` finds none in the text, which has
    /// single spaces, small letters and ASCII digits.
    pub fn choice<T>(
        &mut self,
        name: &str,
        problem: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let text = sanitise::in_ascii_digits(&sanitise::line(&as_text(&self.body[name]))).to_lowercase();
        let value = parse(&text);
        if value.is_none() {
            self.problem(name, problem);
        }
        value
    }

    /// A marker that nothing depends on, such as that of a sample file; empty without one.
    pub fn marker(&self, name: &str) -> String {
        sanitise::line(&as_text(&self.body[name])).chars().take(500).collect()
    }

    /// The field as it came in.
    pub fn raw(&self, name: &str) -> &'a Value {
        &self.body[name]
    }

    /// Notes what is wrong with a field, in a sentence for the teacher.
    pub fn problem(&mut self, name: &str, problem: &str) {
        self.problems.entry(name.to_owned()).or_insert_with(|| problem.to_owned());
    }

    /// Returns whether no mistake was found so far.
    pub fn is_good(&self) -> bool {
        self.problems.is_empty()
    }

    /// `invalid_request` naming every field at fault.
    pub fn refusal(self) -> FunctionError {
        let message = self.problems.values().next().cloned().unwrap_or_default();
        FunctionRefusal::InvalidRequest { message, fields: self.problems }.into()
    }
}

/// Numbers may come as numbers or as text.
pub fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    }
}

/// `10`, `class 10`, `10th`, `x`, `कक्षा 10`.
fn parse_class(text: &str) -> Option<u8> {
    const ROMAN: [&str; 12] = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii"];
    let mut word = text;
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
            assert_eq!(Form::of(&json!({ "class": class })).class(), Some(10), "{class}");
        }
        for class in [json!(13), json!(0), json!("ten"), json!(2.5), json!(null), json!([10])] {
            assert_eq!(Form::of(&json!({ "class": class })).class(), None, "{class}");
        }
    }

    #[test]
    fn a_limit_counts_what_a_reader_sees() {
        let body = json!({ "fits": "क्षि".repeat(200), "long": "x".repeat(201), "empty": " \u{200B} " });
        let mut form = Form::of(&body);
        form.line("fits", "text");
        assert!(form.is_good());
        form.line("long", "text");
        form.line("empty", "other text");
        let FunctionError::Refused(FunctionRefusal::InvalidRequest { fields, .. }) = form.refusal() else {
            panic!("a refusal")
        };
        assert_eq!(fields["long"], "The text may have at most 200 characters.");
        assert_eq!(fields["empty"], "Please give the other text.");
    }

    #[test]
    fn a_choice_is_looked_for_in_small_letters_and_ascii_digits() {
        let body = json!({ "n": " Ab  ३ " });
        let seen = Form::of(&body).choice("n", "", |text| Some(text.to_owned()));
        assert_eq!(seen.as_deref(), Some("ab 3"));
    }
}
