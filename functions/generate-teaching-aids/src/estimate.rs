//! Estimates a set of aids before it is made: its writer, and how much of it the bank knows.

use banyan_bank::catalogue;
use banyan_functions::metadata::Estimate;
use banyan_functions::model::authoring::Writer;
use serde_json::{Value, json};

use crate::bank;
use crate::fit;
use crate::plan::Plan;
use crate::request::AidsRequest;
use crate::words::Words;

/// The `meta` of a document that is not made yet, with its honesty line as `label`
/// (SPECIFICATION.md GEN-11.3).
pub fn estimate(request: &AidsRequest, writer: Writer) -> Value {
    let by_bank = bank::answerable(request);
    let request = if writer.is_model() { request } else { &by_bank };
    let words = Words::of(request.language);
    let plan = fit::plan(request, &words);
    let coverage = || bank::fill(request, &plan, &words, 0).coverage;
    let estimate =
        Estimate::new(&words.labels, writer, coverage).or_by(writer, by_bank.stand_in, &by_bank.chapter);
    let warnings = warnings(request, &plan, &words, estimate.honesty());
    json!({ "meta": estimate.meta(request.language, request.stand_in, &warnings) })
}

/// Warnings for the teacher: the honesty line, and parts of the request that could not be used as
/// they are.
pub(crate) fn warnings(
    request: &AidsRequest,
    plan: &Plan,
    words: &Words,
    honesty: Option<&str>,
) -> Vec<String> {
    let class = catalogue::other_class(&request.chapter, request.class, &request.subject);
    let chapter = (request.chapter.as_str(), class);
    let mut warnings = words.common.warnings.collect(honesty, None, request.stand_in, chapter);
    warnings.extend(words.notes.get("crowded").filter(|_| plan.crowded).cloned());
    warnings
}
