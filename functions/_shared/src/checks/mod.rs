//! Checks on the text in the slots of any kind of document (generation.md 7). Sums, counts and minutes cannot
//! be wrong, since a plan computes them; these look at what was written.

/// Cleaning that needs no second try (V16, V17).
pub mod cleaning;

/// The right language (V12).
pub mod language;

/// Text that fits the class (V13).
pub mod readability;

/// The same question in other words (V10).
pub mod likeness;

use crate::safety;
use crate::script::Language;

/// A rule that a text breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The check's id, such as `V14`.
    pub id: &'static str,
    /// What is wrong, in words that a model can act on.
    pub problem: String,
}

impl Finding {
    /// A finding.
    pub fn new(id: &'static str, problem: impl Into<String>) -> Self {
        Self { id, problem: problem.into() }
    }

    /// Whether a document must not be delivered with it; the others are wishes.
    pub fn blocks(&self) -> bool {
        !matches!(self.id, "V10" | "V11" | "V13")
    }
}

/// Checks that every text must pass: language (V12), addresses (V16), markup (V17), safety (V20). What the
/// teacher typed is no part of the judgement.
pub fn common(texts: &[&str], typed: &[&str], language: Language) -> Vec<Finding> {
    let mut findings = Vec::new();
    let own: Vec<String> = texts
        .iter()
        .map(|text| typed.iter().fold((*text).to_owned(), |t, typed| t.replace(typed, "")))
        .collect();
    if !language::written_in(&own.join(" "), language) {
        findings.push(Finding::new("V12", format!("the text must be written in {}", language.name())));
    }
    if own.iter().any(|text| cleaning::has_address(text)) {
        findings.push(Finding::new("V16", "no links, e-mail addresses or telephone numbers"));
    }
    if own.iter().any(|text| cleaning::has_markup(text)) {
        findings.push(Finding::new("V17", "plain text only: no Markdown, LaTeX or HTML"));
    }
    if safety::refuses_any(&own) {
        findings.push(Finding::new("V20", "the text is not suitable for children; write it differently"));
    }
    findings
}
