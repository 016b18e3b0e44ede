//! Frames that are true for any chapter (K1): structure, timings, activities and general tasks, with
//! blanks where knowledge of the chapter is needed.

use banyan_bank::parts::Qa;
use banyan_bank::subjects::Family;
use banyan_functions::seed::Dice;
use banyan_functions::words::{Places, fill};

use crate::content::{Content, FrameText, PeriodText, PhaseText};
use crate::plan::{PeriodPlan, Plan, Role};
use crate::request::LessonRequest;
use crate::words::{PhaseFrame, Words};

/// A document in which nothing depends on the chapter but its title.
pub(super) fn frame(request: &LessonRequest, plan: &Plan, words: &Words, seed: u64) -> Content {
    let subtopics: Vec<String> =
        plan.periods.iter().map(|period| title(period, plan, &request.chapter, words)).collect();
    let periods = plan
        .periods
        .iter()
        .zip(&subtopics)
        .map(|(period, subtopic)| self::period(period, subtopic, request, plan, words, seed));
    Content {
        periods: periods.collect(),
        frame: FrameText { subtopics: subtopics.clone(), ..general_frame(request, words) },
        coverage: 0.0,
    }
}

/// The frame outside the periods with the chapter's and the book's names.
pub(super) fn general_frame(request: &LessonRequest, words: &Words) -> FrameText {
    words.frame_text(&[
        ("chapter", &request.chapter),
        ("book", &request.book),
        ("publisher", &request.publisher),
    ])
}

/// The title of a period for practice, and of every period of a frame.
pub(super) fn title(period: &PeriodPlan, plan: &Plan, chapter: &str, words: &Words) -> String {
    let titles = &words.titles;
    let template = match period.role {
        Role::Overview => &titles.overview_frame,
        Role::Introduction => &titles.introduction,
        // Of three development periods the second has the activity; with fewer, the first ones are used.
        Role::Development => {
            &titles.development[usize::from(period.no).saturating_sub(2) % titles.development.len()]
        }
        Role::Practice => &titles.practice,
    };
    debug_assert!(plan.periods.len() <= titles.development.len() + 2);
    fill(template, &[("chapter", chapter)])
}

/// A period of frames.
pub(super) fn period(
    period: &PeriodPlan,
    subtopic: &str,
    request: &LessonRequest,
    plan: &Plan,
    words: &Words,
    seed: u64,
) -> PeriodText {
    let places = [
        ("chapter", request.chapter.as_str()),
        ("subtopic", subtopic),
        ("band", words.bands[plan.band].as_str()),
    ];
    let (check, homework) = match (period.role, &words.early_homework) {
        (Role::Practice, Some(early)) if is_early(plan) => (&words.practice_check, early),
        (Role::Practice, _) => (&words.practice_check, &words.practice_homework),
        _ => (&words.check, &words.homework[plan.band]),
    };
    PeriodText {
        phases: phase_frames(period, plan, words, seed)
            .into_iter()
            .map(|frame| phase(frame, &places))
            .collect(),
        check: Qa { q: fill(&check.q, &places), a: fill(&check.a, &places), check: None },
        homework: fill(homework, &places),
    }
}

/// Whether pupils of this class draw, show and tell where older ones write (domain.md 2.4: Classes 1 and 2).
fn is_early(plan: &Plan) -> bool {
    plan.band == 0
}

/// Languages, arts and physical education have phases of their own; the others share five.
fn has_own_phases(family: Family) -> bool {
    matches!(family, Family::Language | Family::Arts | Family::PhysicalEducation)
}

fn phase_frames<'a>(period: &PeriodPlan, plan: &Plan, words: &'a Words, seed: u64) -> Vec<&'a PhaseFrame> {
    let own_phases = has_own_phases(plan.family);
    let early = Some("early").filter(|_| is_early(plan) && !own_phases);
    if period.role == Role::Practice {
        let frames = &words.practice_frames;
        let own = frames.get(early.unwrap_or(plan.family.key()));
        let general = Some(&frames["general"]).filter(|_| !own_phases);
        if let Some(practice) = own.or(general) {
            return practice.iter().collect();
        }
    }
    let general = &words.phase_frames["general"];
    let own = words.phase_frames.get(plan.family.key()).unwrap_or(general);
    let early = early.and_then(|early| words.phase_frames.get(early));
    let turn = Dice::new(seed, "frames").below(2) + usize::from(period.no);
    let phases = own.iter().enumerate().map(|(at, alternatives)| {
        let early = early.map(|early| &early[at]).filter(|early| !early.is_empty());
        let alternatives = match early {
            Some(early) => early,
            None if alternatives.is_empty() => &general[at],
            None => alternatives,
        };
        let choice = if own_phases {
            variant(period, at)
        } else if at == 0 && period.no == 1 {
            // The first period has no lesson before it to recall, so it takes the first opening.
            0
        } else if at == 0 {
            alternatives.len() - 1
        } else {
            turn
        };
        &alternatives[choice % alternatives.len()]
    });
    phases.collect()
}

/// Which alternative of its phases a period of a subject with phases of its own takes: the first one introduces, the second
/// and third develop, each in turn and then mixed, so that no two periods are the same.
fn variant(period: &PeriodPlan, at: usize) -> usize {
    match (period.role, usize::from(period.no)) {
        (Role::Development, 2) => 1,
        (Role::Development, 3) => 2,
        (Role::Development, _) => 1 + at % 2,
        _ => 0,
    }
}

fn phase(frame: &PhaseFrame, places: &Places<'_>) -> PhaseText {
    PhaseText {
        teacher: fill(&frame.teacher, places),
        pupils: fill(&frame.pupils, places),
        questions: vec![Qa { q: fill(&frame.q, places), a: fill(&frame.a, places), check: None }],
        board: fill(&frame.board, places),
    }
}
