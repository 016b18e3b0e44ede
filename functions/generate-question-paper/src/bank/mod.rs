//! The built-in generator: problems worked out by rule and facts of a chapter pack where there are
//! any, tasks that fit any chapter, and ruled lines for the rest. It never makes up chapter content
//! from a title (SPECIFICATION.md GEN-11).

/// Unused parts of the bank's knowledge.
mod supply;

/// Questions that are marked by looking.
mod objective;

/// Options for facts that are numbers.
mod values;

/// Questions that are answered in sentences or steps.
mod written;

pub(crate) use written::roman;

/// Tasks for any chapter, and ruled lines.
mod general;

use banyan_bank::packs;
use banyan_functions::words::is_frame;
use banyan_functions::writing_system::{Language, StandIn};

use crate::content::{Body, Content, Question, Source};
use crate::plan::{Part, Plan, QuestionType, Slot};
use crate::request::PaperRequest;
use crate::words::Words;
use supply::{Repetition, Supply};

/// The request as the bank answers it best: a chapter that it knows in English comes in English
/// where it would be no more than a frame in the language of the request.
pub fn answerable(request: &PaperRequest) -> PaperRequest {
    let asked = request.language;
    let english = packs::only_in_english(asked, request.class, &request.subject, &request.chapter);
    match english.filter(|_| is_frame(coverage(request))) {
        Some(chapter) => PaperRequest {
            chapter,
            language: Language::English,
            stand_in: Some(StandIn::Chapter(asked)),
            typed_chapter: Some(request.chapter.clone()),
            ..request.clone()
        },
        None => request.clone(),
    }
}

/// How much of it would be about the chapter.
fn coverage(request: &PaperRequest) -> f64 {
    fill(request, &Plan::of(request), &Words::of(request.language), 0).coverage
}

/// Fills every slot of the plan; the same seed gives the same text.
pub fn fill(request: &PaperRequest, plan: &Plan, words: &Words, seed: u64) -> Content {
    let pack = packs::find(request.language, request.class, &request.subject, &request.chapter);
    let mut supply = Supply::new(request, pack.as_ref(), words, seed);
    let mut questions: Vec<Question> = Vec::new();
    let parts: Vec<&Part> = plan.sections.iter().flat_map(|section| &section.parts).collect();
    for part in in_order_of_need(&parts, pack.is_some()) {
        supply.begin_part();
        for slot in &part.slots {
            let body = body(&mut supply, slot, part.situation);
            questions.push(Question { slot: *slot, body, alternative: None });
        }
    }
    questions.sort_by_key(|question| question.slot.no);
    // Alternatives come last, so that no question goes without text for the sake of a choice.
    supply.allow_more_of_a_kind();
    for part in &parts {
        supply.begin_part();
        choices(&mut supply, part, &mut questions);
    }
    Content::new(questions, supply.subtopics())
}

/// Sets of pairs need many terms at once and are filled first; then what is marked by looking,
/// since no general task can stand in for it. Where there are such tasks alone, the longest
/// questions have the first of them.
fn in_order_of_need<'a>(parts: &[&'a Part], is_known: bool) -> Vec<&'a Part> {
    let mut order = parts.to_vec();
    order.sort_by_key(|part| match part.kind {
        QuestionType::Match => 0,
        QuestionType::Mcq | QuestionType::Fill | QuestionType::TrueFalse => 1,
        QuestionType::Numerical => 2,
        QuestionType::Long | QuestionType::Short | QuestionType::VeryShort if is_known => 3,
        QuestionType::Long => 3,
        QuestionType::Short => 4,
        QuestionType::VeryShort => 5,
    });
    order
}

/// Tries to fill a slot with something unlike everything before it (V10).
const TRIES: usize = 4;

/// Questions about the chapter come first, then those that the bank can answer, and last those that
/// the teacher has to look up.
fn body(supply: &mut Supply<'_>, slot: &Slot, situation: &[u32]) -> Body {
    let numerical = slot.kind == QuestionType::Numerical;
    supply.begin_question();
    let new = |supply: &mut Supply<'_>| new_question(supply, slot, situation);
    let again = |supply: &mut Supply<'_>| of_what_is_left(supply, slot).or_else(|| new(supply));
    supply
        .step_by_step(new)
        .or_else(|| about_a_subtopic(supply, slot))
        .or_else(|| about_the_whole(supply, slot))
        .or_else(|| of_what_is_left(supply, slot))
        .or_else(|| supply.worth_what_fits(new))
        .or_else(|| supply.telling_again(Repetition::Half, |supply| of_what_is_left(supply, slot)))
        .or_else(|| supply.telling_again(Repetition::Most, again))
        .or_else(|| supply.with_drill(numerical, new))
        .or_else(|| numerical.then(|| supply.with_like_beside_like(new))?)
        .or_else(|| supply.is_long().then(|| supply.telling_again(Repetition::Any, again))?)
        .or_else(|| unlike_all_before(supply, |supply| general::open_task(supply, slot)))
        .unwrap_or_else(|| general::open(supply, slot))
}

fn about_a_subtopic(supply: &mut Supply<'_>, slot: &Slot) -> Option<Body> {
    unlike_all_before(supply, |supply| written::about_a_subtopic(supply, slot))
}

fn about_the_whole(supply: &mut Supply<'_>, slot: &Slot) -> Option<Body> {
    unlike_all_before(supply, |supply| written::about_the_whole(supply, slot))
}

fn of_what_is_left(supply: &mut Supply<'_>, slot: &Slot) -> Option<Body> {
    unlike_all_before(supply, |supply| written::of_what_is_left(supply, slot))
}

/// Something unlike everything before it, after a few tries.
fn unlike_all_before(
    supply: &mut Supply<'_>,
    mut make: impl FnMut(&mut Supply<'_>) -> Option<Body>,
) -> Option<Body> {
    (0..TRIES).find_map(|_| {
        let body = make(supply)?;
        supply.is_unlike_all_before(&body.printed()).then_some(body)
    })
}

/// Gives as many questions of a part an alternative as are planned: those that the plan names, and
/// others of the part where the bank has nothing of like kind for one of them.
fn choices(supply: &mut Supply<'_>, part: &Part, questions: &mut [Question]) {
    let (planned, others): (Vec<&Slot>, Vec<&Slot>) = part.slots.iter().partition(|slot| slot.choice);
    let mut open = planned.len();
    for slot in planned.into_iter().chain(others.into_iter().rev()) {
        let Some(question) = questions.iter_mut().find(|question| open > 0 && question.slot.no == slot.no)
        else {
            continue;
        };
        question.alternative = alternative(supply, slot, &question.body);
        open -= usize::from(question.alternative.is_some());
    }
}

/// The choice against a question: work of like kind, or none where the bank has no more of it. The
/// teacher who has to write the question of a chapter that the bank does not know writes its
/// alternative as well.
fn alternative(supply: &mut Supply<'_>, slot: &Slot, body: &Body) -> Option<Body> {
    supply.begin_question();
    match body.source {
        Source::General if supply.pack.is_some() => about_the_whole(supply, slot),
        Source::General => unlike_all_before(supply, |supply| general::open_task(supply, slot))
            .or_else(|| Some(general::open(supply, slot))),
        Source::Open => Some(general::open(supply, slot)),
        Source::Chapter | Source::Model | Source::Subtopic => {
            let like = |supply: &mut Supply<'_>| (0..TRIES).find_map(|_| like(supply, slot, body));
            supply
                .step_by_step(like)
                .or_else(|| body.is_calculation().then(|| supply.worth_what_fits(like))?)
                .or_else(|| supply.telling_again(Repetition::Half, like))
                .or_else(|| supply.telling_again(Repetition::Most, like))
        }
    }
}

fn like(supply: &mut Supply<'_>, slot: &Slot, body: &Body) -> Option<Body> {
    let saved = supply.saved();
    let other = written::like(supply, slot, body).filter(|other| {
        let is_a_choice = body.is_like(other) && !supply.tell_the_same(body, other);
        is_a_choice && supply.is_unlike_all_before(&other.printed())
    });
    if other.is_none() {
        supply.restore(saved);
        // Another draw, since a drawn number is not given back.
        supply.rng.below(2);
    }
    other
}

fn new_question(supply: &mut Supply<'_>, slot: &Slot, situation: &[u32]) -> Option<Body> {
    unlike_all_before(supply, |supply| about_the_chapter(supply, slot, situation))
}

fn about_the_chapter(supply: &mut Supply<'_>, slot: &Slot, situation: &[u32]) -> Option<Body> {
    match slot.kind {
        QuestionType::Mcq => objective::multiple_choice(supply, slot),
        QuestionType::Fill => objective::fill_in(supply, slot),
        QuestionType::TrueFalse => objective::true_false(supply, slot),
        QuestionType::Match => objective::matching(supply, slot),
        QuestionType::VeryShort | QuestionType::Short | QuestionType::Numerical | QuestionType::Long => {
            written::written(supply, slot, situation)
        }
    }
}
