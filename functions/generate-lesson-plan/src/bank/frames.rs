//! Frames that are true for any chapter: structure, timings, activities and general tasks,
//! with blanks where knowledge of the chapter is needed.

use banyan_bank::parts::Qa;
use banyan_bank::subjects::Family;
use banyan_functions::seed::SeededRng;
use banyan_functions::words::{Places, fill};

use crate::content::{Content, FrameText, PeriodText, PhaseText};
use crate::plan::{PeriodPlan, Plan, Role};
use crate::request::LessonRequest;
use crate::words::{Band, PhaseFrame, Words};

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
        frame: FrameText { subtopics: subtopics.clone(), ..general_frame(request, plan, words) },
        coverage: 0.0,
    }
}

/// The frame outside the periods with the chapter's and the book's names.
pub(super) fn general_frame(request: &LessonRequest, plan: &Plan, words: &Words) -> FrameText {
    let places = [
        ("chapter", request.chapter.as_str()),
        ("book", request.book.as_str()),
        ("publisher", request.publisher.as_str()),
    ];
    words.frame_text(kind(request, plan), plan.band, &places)
}

/// Words of subjects that teach a trade.
const VOCATIONAL: [&str; 18] = [
    "vocational",
    "skill",
    "retail",
    "agricultur",
    "tourism",
    "automotive",
    "beauty",
    "health care",
    "healthcare",
    "carpent",
    "tailor",
    "electrician",
    "plumb",
    "apparel",
    "food production",
    "व्यावसायिक",
    "कौशल",
    "कृषि",
];

/// The key of the subject's skeleton: its family, or `vocational`, which runs like any other lesson
/// but teaches work.
fn kind(request: &LessonRequest, plan: &Plan) -> &'static str {
    let subject = request.subject.to_lowercase();
    if plan.family == Family::General && VOCATIONAL.iter().any(|word| subject.contains(word)) {
        return "vocational";
    }
    plan.family.key()
}

/// The title of a period for practice, and of every period of a frame.
pub(super) fn title(period: &PeriodPlan, plan: &Plan, chapter: &str, words: &Words) -> String {
    let titles = &words.titles;
    let template = match period.role {
        Role::Overview => &titles.overview_frame,
        Role::Introduction => &titles.introduction,
        // The second of three development periods has the activity. If there are fewer, the first
        // ones are used.
        Role::Development => {
            &titles.development[usize::from(period.no).saturating_sub(2) % titles.development.len()]
        }
        Role::Practice if is_early(plan) => &titles.early_practice,
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
    let skeleton = words.skeletons.get(kind(request, plan));
    let own_check = skeleton.and_then(|skeleton| skeleton.check.as_ref());
    let (check, homework) = match period.role {
        Role::Practice => (&words.practice_check, practice_homework(plan, words)),
        Role::Overview | Role::Introduction | Role::Development => {
            let own = skeleton.and_then(|skeleton| skeleton.band(plan.band));
            (own_check.unwrap_or(&words.check), homework(period, plan, own, words))
        }
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

/// The skeleton's homework in turn; that of the class where it has none.
fn homework<'a>(period: &PeriodPlan, plan: &Plan, own: Option<&'a Band>, words: &'a Words) -> &'a str {
    match own.map(|band| &band.homework) {
        Some(tasks) if !tasks.is_empty() => &tasks[(usize::from(period.no) - 1) % tasks.len()],
        _ => &words.homework[plan.band],
    }
}

fn practice_homework<'a>(plan: &Plan, words: &'a Words) -> &'a str {
    let of = &words.practice_homework;
    let key = if is_early(plan) { "early" } else { plan.family.key() };
    of.get(key).unwrap_or(&of["general"])
}

/// Whether pupils of this class draw, show and tell where older ones write (SPECIFICATION.md
/// DOM-2.4: Classes 1 and 2).
fn is_early(plan: &Plan) -> bool {
    plan.band == 0
}

/// Languages, arts and physical education have phases of their own; the others share five.
fn has_own_phases(family: Family) -> bool {
    matches!(family, Family::Language | Family::Arts | Family::PhysicalEducation)
}

/// The key of the frames: Classes 1 and 2 have their own where a family shares the general phases.
fn frames_key(plan: &Plan) -> &'static str {
    if is_early(plan) && !has_own_phases(plan.family) { "early" } else { plan.family.key() }
}

fn phase_frames<'a>(period: &PeriodPlan, plan: &Plan, words: &'a Words, seed: u64) -> Vec<&'a PhaseFrame> {
    let key = frames_key(plan);
    let is_complete = has_own_phases(plan.family) || is_early(plan);
    if period.role == Role::Practice {
        let frames = &words.practice_frames;
        return frames.get(key).unwrap_or(&frames["general"]).iter().collect();
    }
    let general = &words.phase_frames["general"];
    let of_family = words.phase_frames.get(key).filter(|_| key != "general");
    let own = of_family.unwrap_or(general);
    let turn = SeededRng::new(seed, "frames").below(EXPLORATIONS);
    let phases = own.iter().zip(0..).map(|(alternatives, at)| {
        let next_best = general.get(at).filter(|_| !is_complete && of_family.is_some());
        let alternatives: Vec<&PhaseFrame> =
            alternatives.iter().chain(next_best.into_iter().flatten()).collect();
        // The ways to explore can come in any order, so that another attempt begins with another
        // one.
        let start = if !is_complete && at == 1 { turn } else { 0 };
        alternatives[(start + variant(period, at, alternatives.len())) % alternatives.len()]
    });
    phases.collect()
}

/// Ways to explore that every family has.
const EXPLORATIONS: usize = 3;

/// Which alternative of its phases a period takes: the first one introduces, the others develop,
/// each in turn; where there are two to develop, a third such period mixes them, so that no two
/// periods are the same.
fn variant(period: &PeriodPlan, at: usize, alternatives: usize) -> usize {
    match (period.role, usize::from(period.no)) {
        (Role::Development, 4) if alternatives == 3 => 1 + at % 2,
        (Role::Development, no) => no - 1,
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
