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
    let practice = period.role == Role::Practice;
    let (check, homework) = if practice {
        (&words.practice_check, &words.practice_homework)
    } else {
        (&words.check, &words.homework[plan.band])
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

fn phase_frames<'a>(period: &PeriodPlan, plan: &Plan, words: &'a Words, seed: u64) -> Vec<&'a PhaseFrame> {
    let five_phases = plan.family.phase_minutes().len() == 5 && plan.family != Family::PhysicalEducation;
    if period.role == Role::Practice && five_phases {
        return words.practice_frames["general"].iter().collect();
    }
    let general = &words.phase_frames["general"];
    let own = words.phase_frames.get(plan.family.key()).unwrap_or(general);
    let turn = Dice::new(seed, "frames").below(2) + usize::from(period.no);
    let phases = own.iter().enumerate().map(|(at, alternatives)| {
        let alternatives = if alternatives.is_empty() { &general[at] } else { alternatives };
        // The first period has no lesson before it to recall, so it takes the first opening.
        let choice = if at == 0 && period.no == 1 {
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

fn phase(frame: &PhaseFrame, places: &Places<'_>) -> PhaseText {
    PhaseText {
        teacher: fill(&frame.teacher, places),
        pupils: fill(&frame.pupils, places),
        questions: vec![Qa { q: fill(&frame.q, places), a: fill(&frame.a, places), check: None }],
        board: fill(&frame.board, places),
    }
}
