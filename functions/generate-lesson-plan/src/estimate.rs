//! Estimates a document before it is made: its writer, and how much of it the bank knows.

use banyan_bank::catalogue;
use banyan_functions::metadata::Estimate;
use banyan_functions::model::authoring::Writer;
use serde_json::{Value, json};

use crate::bank;
use crate::order;
use crate::plan::Plan;
use crate::request::LessonRequest;
use crate::words::Words;

/// The `meta` of a document that is not made yet, with its honesty line as `label`
/// (SPECIFICATION.md GEN-11.3).
///
/// `coverage` is null when a model would write, since only the text itself tells.
pub fn estimate(request: &LessonRequest, writer: Writer) -> Value {
    let by_bank = bank::answerable(request);
    let request = if writer.is_model() { request } else { &by_bank };
    let words = Words::of(request.language);
    let coverage = || bank::fill(request, &Plan::of(request), &words, 0).coverage;
    let estimate =
        Estimate::new(&words.labels, writer, coverage).or_by(writer, by_bank.stand_in, &by_bank.chapter);
    let warnings = warnings(request, &words, estimate.honesty());
    json!({ "meta": estimate.meta(request.language, request.stand_in, &warnings) })
}

/// Warnings for the teacher: the honesty line, and parts of the request that could not be used.
pub(crate) fn warnings(request: &LessonRequest, words: &Words, honesty: Option<&str>) -> Vec<String> {
    let class = catalogue::other_class(&request.chapter, request.class, &request.subject);
    let chapter = (request.chapter.as_str(), class);
    let warnings = &words.common.warnings;
    let sample = match &request.sample_text {
        None if !request.sample.is_empty() => Some(warnings.sample.as_str()),
        Some(_) if order::of(request).is_empty() => Some(warnings.sample_order.as_str()),
        _ => None,
    };
    warnings.collect(honesty, sample, request.stand_in, chapter)
}
