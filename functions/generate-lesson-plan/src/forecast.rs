//! What can be said of a document before it is made: who would write it, and how much of it the bank knows.

use banyan_bank::catalogue;
use serde_json::{Value, json};

use crate::bank;
use crate::plan::Plan;
use crate::request::LessonRequest;
use crate::words::{Words, fill};

/// The `meta` of a document that is not made yet, with its honesty line as `label` (generation.md 11.3).
///
/// `coverage` is null when a model would write, since only the text itself tells.
pub fn forecast(request: &LessonRequest, model: bool) -> Value {
    let words = Words::of(request.language);
    let coverage = bank::fill(request, &Plan::of(request), &words, 0).coverage;
    let (generator, label, coverage) = match model {
        true => ("model", &words.labels.model, None),
        false => ("template", label(&words, coverage), Some((coverage * 100.0).round() / 100.0)),
    };
    let warnings = warnings(request, &words, generator, label);
    json!({ "meta": {
        "generator": generator, "language": request.language.code(), "coverage": coverage, "label": label,
        "warnings": warnings,
    } })
}

/// The honesty line for a coverage (generation.md 11.3).
pub(crate) fn label(words: &Words, coverage: f64) -> &String {
    match coverage {
        c if c >= 0.8 => &words.labels.bank,
        c if c >= 0.3 => &words.labels.partly,
        _ => &words.labels.frame,
    }
}

/// What the teacher should know of the document: its honesty line and what of the request could not be used.
pub(crate) fn warnings(request: &LessonRequest, words: &Words, generator: &str, label: &str) -> Vec<String> {
    let mut warnings = Vec::new();
    if generator == "template" {
        warnings.push(label.to_owned());
    }
    if !request.sample.is_empty() {
        warnings.push(words.warnings.sample.clone());
    }
    if request.stand_in {
        warnings.push(words.warnings.stand_in.clone());
    }
    let listed = catalogue::find(&request.chapter, request.class, &request.subject);
    if let Some(entry) = listed.filter(|entry| entry.class != request.class) {
        let class = entry.class.to_string();
        warnings.push(fill(&words.warnings.other_class, &[("chapter", &request.chapter), ("class", &class)]));
    }
    warnings
}
