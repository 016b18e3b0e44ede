//! Whether a text repeats a sample. A sample is an example and no source (SPECIFICATION.md
//! GEN-5.3.6).

use std::collections::BTreeSet;

use serde_json::Value;

use crate::text::SampleText;

/// Words in a row that are a copy. Headings and usual phrases are shorter.
const RUN: usize = 8;

/// The runs of words of a sample.
#[derive(Debug, Default)]
pub struct Copies {
    runs: BTreeSet<Vec<String>>,
}

impl Copies {
    /// The runs of a sample, also from one line to the next; without a sample nothing is a copy.
    pub fn of(sample: Option<&SampleText>) -> Self {
        let lines = sample.map(|sample| sample.lines.as_slice()).unwrap_or_default();
        let text: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        Self { runs: runs(&text.join(" ")).collect() }
    }

    /// Returns whether eight words of the sample stand in the text in a row.
    pub fn hold(&self, text: &str) -> bool {
        !self.runs.is_empty() && runs(text).any(|run| self.runs.contains(&run))
    }

    /// Returns whether a text of a reply, however deep it stands, holds such words.
    pub fn hold_in(&self, reply: &Value) -> bool {
        match reply {
            Value::String(text) => self.hold(text),
            Value::Array(entries) => entries.iter().any(|entry| self.hold_in(entry)),
            Value::Object(fields) => fields.values().any(|field| self.hold_in(field)),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }
}

fn runs(text: &str) -> impl Iterator<Item = Vec<String>> {
    let words =
        text.split(|c: char| c.is_whitespace() || c.is_ascii_punctuation() || "।॥“”‘’–—…".contains(c));
    let words: Vec<String> = words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    let last = (words.len() + 1).saturating_sub(RUN);
    (0..last).map(move |at| words[at..at + RUN].to_vec())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::text::{Line, SampleKind};

    fn copies(lines: &[&str]) -> Copies {
        let line = |text: &&str| Line { text: (*text).to_owned(), heading: None, is_numbered: false };
        let lines = lines.iter().map(line).collect();
        Copies::of(Some(&SampleText { kind: SampleKind::Docx, pages: 1, lines, is_cut: false }))
    }

    // rows: GEN-5.3.6
    #[test]
    fn eight_words_in_a_row_are_a_copy() {
        let line = "Ask the pupils why a pencil in a glass of water looks bent.";
        let copies = copies(&[line]);
        assert!(copies.hold("First, ask THE pupils why a pencil in a bowl floats."));
        assert!(!copies.hold("Ask the pupils why a pencil floats in a glass of water."));
        assert!(!Copies::of(None).hold(line) && !copies.hold(""));
    }

    // rows: GEN-5.3.6 V16
    #[test]
    fn a_copy_goes_on_from_one_printed_line_to_the_next() {
        let copies = copies(&["Ask the pupils why a", "pencil in a glass of", "water looks bent."]);
        assert!(copies.hold("Ask the pupils why a pencil in a glass."));
        assert!(!copies.hold("Ask the pupils why a glass looks bent."));
    }

    // rows: GEN-5.3.6 V16
    #[test]
    fn each_text_of_a_reply_is_looked_at_by_itself() {
        let copies = copies(&["He said: now then tell me what light is made of."]);
        let reply = |text: &str| json!({ "phases": [{ "board": text, "minutes": 5 }] });
        assert!(copies.hold_in(&reply("He said:\nnow then tell me what light?")));
        let apart = json!(["He said now then", "tell me what light is made of"]);
        assert!(!copies.hold_in(&apart));
    }

    // rows: GEN-5.3.6 V16
    #[test]
    fn other_quotes_do_not_hide_a_copy() {
        let copies = copies(&["Tell the class that “light” travels in straight lines."]);
        assert!(copies.hold("Tell the class that \"light\" travels in straight lines"));
    }
}
