//! Estimates a document before it is made: its writer, and how much of it the bank knows.

use banyan_bank::catalogue;
use banyan_functions::metadata::Estimate;
use banyan_functions::model::authoring::Writer;
use banyan_functions::words::fill;
use serde_json::{Value, json};

use crate::bank;
use crate::content::{Content, Question, Source};
use crate::plan::{Difference, Level, Plan, QuestionType, SampleStyle, Timing, difference, level_percent};
use crate::request::PaperRequest;
use crate::words::Words;
use banyan_bank::subjects::Family;

/// The `meta` of a document that is not made yet, with its honesty line as `label`
/// (SPECIFICATION.md GEN-11.3), and its plan in short. `coverage` is null when a model would write,
/// since only the text itself tells.
pub fn estimate(request: &PaperRequest, writer: Writer) -> Value {
    let by_bank = bank::answerable(request);
    let request = if writer.is_model() { request } else { &by_bank };
    let words = Words::of(request.language);
    let plan = Plan::of(request);
    let coverage = || bank::fill(request, &plan, &words, 0).coverage;
    let estimate =
        Estimate::new(&words.labels, writer, coverage).or_by(writer, by_bank.stand_in, &by_bank.chapter);
    let warnings = warnings(request, &plan, &words, estimate.honesty());
    let part = |part: &crate::plan::Part| json!({ "type": part.kind, "count": part.count(), "marksEach": part.each });
    let section = |section: &crate::plan::Section| {
        let parts: Vec<Value> = section.parts.iter().map(part).collect();
        json!({ "letter": section.letter, "marks": section.marks(), "attempt": section.attempt, "parts": parts })
    };
    let sections: Vec<Value> = plan.sections.iter().map(section).collect();
    json!({
        "meta": estimate.meta(request.language, request.stand_in, &warnings),
        "sample": sample(request, &words),
        "plan": { "totalMarks": plan.marks, "minutes": plan.minutes, "questions": plan.questions(), "sections": sections },
    })
}

/// Warnings for the teacher: the honesty line, parts of the request that could not be used, and
/// whether time and marks fit.
pub(crate) fn warnings(
    request: &PaperRequest,
    plan: &Plan,
    words: &Words,
    honesty: Option<&str>,
) -> Vec<String> {
    let class = catalogue::other_class(&request.chapter, request.class, &request.subject);
    let chapter = (request.chapter.as_str(), class);
    let common = &words.common.warnings;
    let sample = sample_warning(request, words);
    let mut warnings = common.collect(honesty, sample.as_deref(), request.stand_in, chapter);
    warnings.extend(timing(plan, words));
    warnings
}

/// What becomes of the sample: the names that are followed, and the warning. Null without one.
fn sample(request: &PaperRequest, words: &Words) -> Value {
    if request.sample.is_empty() {
        return Value::Null;
    }
    let style = SampleStyle::by(request);
    let followed: Vec<String> = style.examination.into_iter().chain(style.sections).collect();
    json!({ "followed": followed, "warning": sample_warning(request, words) })
}

/// What the paper does not take from its sample, and why.
fn sample_warning(request: &PaperRequest, words: &Words) -> Option<String> {
    let warnings = &words.common.warnings;
    if request.sample_text.is_none() {
        return (!request.sample.is_empty()).then(|| warnings.sample.clone());
    }
    let Difference { sections, marks, types } = difference(request)?;
    if sections == 0 {
        return Some(warnings.sample_without_questions.clone());
    }
    let kinds = |types: &[QuestionType]| -> String {
        types.iter().map(|kind| words.kind(*kind)).collect::<Vec<&str>>().join(", ")
    };
    let number = |count: usize| words.count("sections", u32::try_from(count).unwrap_or(u32::MAX));
    let marks = marks.map_or_else(|| "?".to_owned(), |marks| words.count("marks", marks));
    let of_sample = format!("{}, {marks}, {}", number(sections), kinds(&types));
    let of_form = format!(
        "{}, {}, {}",
        number(request.sections),
        words.count("marks", request.marks),
        kinds(&request.types)
    );
    Some(fill(&warnings.sample_pattern, &[("sample", &of_sample), ("form", &of_form)]))
}

/// A sentence on the time, where it is not simply enough.
fn timing(plan: &Plan, words: &Words) -> Option<String> {
    let name = match plan.timing() {
        Timing::Fits => return None,
        Timing::Tight => {
            let (needed, minutes) = (plan.minutes_needed().to_string(), plan.minutes.to_string());
            return Some(words.note("timeTight", &[("needed", &needed), ("minutes", &minutes)]));
        }
        Timing::Short => "timeShort",
        Timing::Ample => "timeAmple",
    };
    let rate = format!("{:.1}", f64::from(plan.minutes) / f64::from(plan.marks));
    let marks = words.count("marks", plan.marks);
    let hours = words.time(plan.minutes);
    Some(words.note(name, &[("marks", &marks), ("hours", &hours), ("rate", &rate)]))
}

/// Notes for the teacher, printed behind the key.
pub(crate) fn notes(request: &PaperRequest, plan: &Plan, words: &Words, content: &Content) -> Vec<String> {
    let other_language = words.common.warnings.other_language(request.stand_in, &request.chapter);
    let mut notes: Vec<String> = other_language.into_iter().chain(timing(plan, words)).collect();
    let unusual: Vec<&str> = QuestionType::ALL
        .into_iter()
        .filter(|kind| plan.slots().any(|slot| slot.kind == *kind && slot.marks != kind.marks()[0]))
        .map(|kind| words.kind(kind))
        .collect();
    if !unusual.is_empty() {
        notes.push(words.note("fallback", &[("types", &unusual.join(", "))]));
    }
    let printed: u32 = plan.slots().map(|slot| slot.marks).sum();
    if printed != plan.marks {
        let (printed, marks) = (printed.to_string(), plan.marks.to_string());
        notes.push(words.note("printed", &[("printed", &printed), ("marks", &marks)]));
    }
    let asked = |kind: QuestionType| request.types.contains(&kind);
    let without_numbers = matches!(plan.family, Family::Language | Family::Arts)
        || ["history", "civics"].contains(&request.subject.to_lowercase().as_str());
    if asked(QuestionType::Numerical) && without_numbers {
        notes.push(words.note("numericalSubject", &[]));
    }
    if asked(QuestionType::Long) && request.class <= 2 {
        notes.push(words.note("longForSmall", &[]));
    }
    notes.extend(
        left_to_the_teacher("open", |source| source == Source::Open, words, content)
            .into_iter()
            .chain(left_to_the_teacher("general", Source::fits_any_chapter, words, content)),
    );
    notes.extend(fewer_choices(plan, words, content));
    notes.extend(uneven(request, words, content));
    notes
}

/// How many of the planned choices there are, where the bank has no like alternative for some.
fn fewer_choices(plan: &Plan, words: &Words, content: &Content) -> Option<String> {
    let planned = plan.slots().filter(|slot| slot.choice).count();
    let given = content.with_choice().count();
    let (n, all) = (given.to_string(), planned.to_string());
    (given < planned).then(|| words.note("fewerChoices", &[("n", &n), ("all", &all)]))
}

/// How many questions the teacher has to write or to fit to the chapter, with those whose
/// alternative alone is such a one.
fn left_to_the_teacher(
    name: &str,
    is_such: impl Fn(Source) -> bool,
    words: &Words,
    content: &Content,
) -> Option<String> {
    let is_left = |question: &&Question| question.bodies().any(|body| is_such(body.source));
    let count = content.questions.iter().filter(is_left).count();
    let (n, all) = (count.to_string(), content.questions.len().to_string());
    (count > 0).then(|| words.note(name, &[("n", &n), ("all", &all)]))
}

/// The level that the bank has given more than 10 points above the table, where the questions are
/// closed.
fn uneven(request: &PaperRequest, words: &Words, content: &Content) -> Option<String> {
    let marks = |level: Level| -> u32 {
        let written = content.questions.iter().filter(|question| question.body.source != Source::Open);
        let of_level = written.filter(|question| question.body.level == level);
        of_level.map(|question| question.slot.marks).sum()
    };
    let whole: u32 = Level::ALL.into_iter().map(marks).sum();
    let largest = content.questions.iter().map(|question| question.slot.marks).max().unwrap_or(0);
    let wanted = level_percent(request.hardness);
    let above = Level::ALL.into_iter().zip(wanted).find(|(level, percent)| {
        let allowed = whole * percent + (whole * 10).max(largest * 100);
        marks(*level) * 100 > allowed
    });
    let (level, _) = above?;
    Some(words.note("levels", &[("level", &words.levels[crate::blueprint::level_at(level)])]))
}
