//! Estimates a document before it is made: its writer, and how much of it the bank knows.

use banyan_bank::catalogue;
use banyan_functions::metadata::Estimate;
use banyan_functions::model::authoring::Writer;
use banyan_functions::words::fill;
use serde_json::{Value, json};

use crate::bank;
use crate::order::{Placed, Shown};
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
    let sample = sample(request, &words);
    json!({ "meta": estimate.meta(request.language, request.stand_in, &warnings), "sample": sample })
}

/// Warnings for the teacher: the honesty line, and parts of the request that could not be used.
pub(crate) fn warnings(request: &LessonRequest, words: &Words, honesty: Option<&str>) -> Vec<String> {
    let class = catalogue::other_class(&request.chapter, request.class, &request.subject);
    let chapter = (request.chapter.as_str(), class);
    let warnings = &words.common.warnings;
    let sample = sample_warning(request, words);
    warnings.collect(honesty, sample.as_deref(), request.stand_in, chapter)
}

/// What becomes of the sample: the headings of the plan that follow it, and the
/// warning. Null without one.
fn sample(request: &LessonRequest, words: &Words) -> Value {
    if request.sample.is_empty() {
        return Value::Null;
    }
    let shown = Shown::by(request).filter(Shown::is_order).unwrap_or_default();
    let name = |placed: &Placed| {
        placed.title.clone().unwrap_or_else(|| words.heading(placed.part.heading()).to_owned())
    };
    let followed: Vec<String> = shown.placed().iter().map(name).collect();
    json!({ "followed": followed, "warning": sample_warning(request, words) })
}

/// What the plan does not take from its sample, and why.
fn sample_warning(request: &LessonRequest, words: &Words) -> Option<String> {
    let warnings = &words.common.warnings;
    let Some(shown) = Shown::by(request) else {
        return (!request.sample.is_empty()).then(|| warnings.sample.clone());
    };
    let (known, all) = (shown.known.len(), shown.known.len() + shown.unknown);
    let sentence = match known {
        _ if shown.is_well_known() => return None,
        0 if all == 0 => &warnings.sample_order,
        0 => &warnings.sample_unknown,
        _ if shown.is_order() => &warnings.sample_partly,
        _ => &warnings.sample_few,
    };
    let (count, of, names) = (known.to_string(), all.to_string(), shown.known.join(", "));
    Some(fill(sentence, &[("known", &count), ("all", &of), ("names", &names)]))
}
