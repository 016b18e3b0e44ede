//! A document from a pack: real sub-topics, questions and answers, dealt over the periods.

use banyan_bank::packs::{Fact, Lesson, Pack, Step, Subtopic};
use banyan_bank::parts::{AssessmentItem, Qa};
use banyan_functions::seed::SeededRng;
use banyan_functions::words::fill;

use super::{frames, from_facts};
use crate::content::{Content, FrameText, PeriodText, PhaseText};
use crate::plan::{PeriodPlan, Plan, Role, spread};
use crate::request::LessonRequest;
use crate::words::Words;

/// Facts in the true-or-false round.
const ROUND: usize = 6;

/// Most items of the summative set.
const ITEMS: usize = 8;

pub(super) fn compose(
    pack: &Pack,
    request: &LessonRequest,
    plan: &Plan,
    words: &Words,
    seed: u64,
) -> Content {
    let groups = spread(pack.subtopics.len(), plan.teaching_periods());
    let mut subtopics = Vec::new();
    let mut periods = Vec::new();
    for period in &plan.periods {
        match groups.get(usize::from(period.no) - 1) {
            Some(group) => {
                subtopics.push(title(period, &pack.subtopics[group.clone()], words));
                let lessons = from_facts::lessons(pack, group.clone(), plan.band, words);
                periods.push(teaching_period(pack, period, &lessons, words));
            }
            None => {
                let title = frames::title(period, plan, &request.chapter, words);
                periods.push(practice_period(pack, period, &title, request, plan, words, seed));
                subtopics.push(title);
            }
        }
    }
    let coverage = coverage(&periods);
    Content { frame: frame(pack, request, plan, words, seed, subtopics), periods, coverage }
}

fn frame(
    pack: &Pack,
    request: &LessonRequest,
    plan: &Plan,
    words: &Words,
    seed: u64,
    subtopics: Vec<String>,
) -> FrameText {
    let general = frames::general_frame(request, plan, words);
    FrameText {
        outcomes: pack.outcomes.clone(),
        prior_knowledge: pack.prior_knowledge.clone(),
        diagnostic: pack.diagnostic.clone(),
        key_terms: pack.terms.iter().take(10).cloned().collect(),
        resources: resources(pack, plan, general.resources),
        misconceptions: pack.misconceptions.iter().take(4).cloned().collect(),
        differentiation: pack.differentiation.clone().unwrap_or(general.differentiation),
        assessment: assessment(pack, seed),
        links: pack.links.clone(),
        remedial: pack.remedial.clone().unwrap_or(general.remedial),
        enrichment: pack.enrichment.clone().unwrap_or(general.enrichment),
        safety: pack.safety.clone(),
        subtopics,
    }
}

/// Materials of every lesson, and those of the activity if a period has one.
fn resources(pack: &Pack, plan: &Plan, general: Vec<String>) -> Vec<String> {
    let has_activity = plan.periods.iter().any(|period| period.activity);
    let activity = pack.activities.first().filter(|_| has_activity);
    let needed = activity.filter(|activity| !activity.materials.is_empty());
    let own = needed.map(|activity| format!("{}: {}", activity.title, activity.materials.join("; ")));
    general.into_iter().chain(own).collect()
}

/// At least one item for every outcome; which others are taken depends on the seed.
fn assessment(pack: &Pack, seed: u64) -> Vec<AssessmentItem> {
    let mut rng = SeededRng::new(seed, "assessment");
    let all = pack.test_items();
    let mut items: Vec<(usize, &AssessmentItem)> = all.iter().enumerate().collect();
    rng.shuffle(&mut items);
    let mut chosen: Vec<(usize, &AssessmentItem)> = Vec::new();
    for outcome in 1..=pack.outcomes.len() {
        chosen.extend(items.iter().find(|(_, item)| item.outcome == outcome));
    }
    let rest = items.iter().filter(|(at, _)| !chosen.iter().any(|(taken, _)| taken == at));
    let rest: Vec<_> = rest.take(ITEMS.saturating_sub(chosen.len())).copied().collect();
    chosen.extend(rest);
    chosen.sort_by_key(|(at, item)| (item.outcome, *at));
    chosen.into_iter().map(|(_, item)| item.clone()).collect()
}

fn title(period: &PeriodPlan, group: &[Subtopic], words: &Words) -> String {
    let topics = group.iter().map(|subtopic| subtopic.title.as_str()).collect::<Vec<_>>().join("; ");
    match period.role {
        Role::Overview => fill(&words.titles.overview, &[("topics", &topics)]),
        Role::Introduction | Role::Development | Role::Practice => topics,
    }
}

fn teaching_period(pack: &Pack, period: &PeriodPlan, group: &[Lesson], words: &Words) -> PeriodText {
    let (first, last) = (&group[0], &group[group.len() - 1]);
    let mut explore = phase(&first.explore);
    if period.activity
        && let Some(activity) = pack.activities.first()
    {
        let places = [("title", activity.title.as_str()), ("text", activity.text.as_str())];
        explore.teacher = format!("{} {}", explore.teacher, fill(&words.activity_intro, &places));
    }
    let check = last.check.clone();
    // Two ways by turns, since a slip in every period is soon no more than a habit.
    let closing = &words.phase_frames["general"][4][usize::from(period.no + 1) % 2];
    let evaluate = PhaseText {
        teacher: closing.teacher.clone(),
        pupils: closing.pupils.clone(),
        questions: group.iter().take(group.len() - 1).map(|lesson| lesson.check.clone()).collect(),
        board: String::new(),
    };
    PeriodText {
        phases: vec![
            phase(&first.engage),
            explore,
            joined(group.iter().map(|lesson| &lesson.explain)),
            joined(group.iter().map(|lesson| &lesson.elaborate)),
            evaluate,
        ],
        check,
        // One task of 15 to 30 minutes, however many sub-topics a period holds.
        homework: last.homework.clone(),
    }
}

fn practice_period(
    pack: &Pack,
    period: &PeriodPlan,
    title: &str,
    request: &LessonRequest,
    plan: &Plan,
    words: &Words,
    seed: u64,
) -> PeriodText {
    let mut text = frames::period(period, title, request, plan, words, seed);
    let mut rng = SeededRng::new(seed, "round");
    let mut facts: Vec<&Fact> = pack.facts.iter().collect();
    rng.shuffle(&mut facts);
    let (round, rest) = facts.split_at(ROUND.min(facts.len()));
    let concepts = &pack.terms;
    if let Some(phase) = text.phases.first_mut() {
        let pair = rng.pick(concepts, 2);
        phase.questions = pair.iter().map(|term| plain(&term.term, &term.meaning)).collect();
    }
    if let Some(phase) = text.phases.get_mut(1) {
        let places = [("title", pack.game.title.as_str()), ("text", pack.game.text.as_str())];
        phase.teacher = fill(&words.game_intro, &places);
        phase.pupils.clone_from(&pack.game.pupils);
        phase.questions = rest.iter().take(3).map(|fact| question(fact)).collect();
    }
    if let Some(phase) = text.phases.get_mut(2) {
        phase.questions = pack.misconceptions.iter().map(|m| plain(&m.wrong, &m.right)).take(2).collect();
        phase.board = String::new();
    }
    if let Some(phase) = text.phases.get_mut(3) {
        phase.teacher = format!("{} {}", words.quiz.intro, phase.teacher);
        phase.questions = round.iter().map(|fact| statement(fact, &mut rng, words)).collect();
    }
    if let Some(fact) = rest.get(3) {
        text.check = question(fact);
    }
    text
}

fn plain(q: &str, a: &str) -> Qa {
    Qa { q: q.to_owned(), a: a.to_owned(), check: None }
}

pub(super) fn question(fact: &Fact) -> Qa {
    Qa { q: fact.q.clone(), a: fact.a.clone(), check: fact.check.clone() }
}

fn statement(fact: &Fact, rng: &mut SeededRng, words: &Words) -> Qa {
    claim(fact, rng.below(2) == 0, words)
}

/// A fact as a claim to be judged, put rightly or wrongly.
pub(super) fn claim(fact: &Fact, rightly: bool, words: &Words) -> Qa {
    if rightly {
        plain(&fact.right, &words.quiz.yes)
    } else {
        plain(&fact.wrong, &fill(&words.quiz.no, &[("right", &fact.right)]))
    }
}

fn phase(step: &Step) -> PhaseText {
    PhaseText {
        teacher: step.teacher.clone(),
        pupils: step.pupils.clone(),
        questions: step.questions.clone(),
        board: step.board.clone(),
    }
}

/// Several sub-topics in one phase, one after the other.
fn joined<'a>(steps: impl Iterator<Item = &'a Step>) -> PhaseText {
    let steps: Vec<&Step> = steps.collect();
    let join = |part: fn(&Step) -> &str, by: &str| said_once(steps.iter().map(|step| part(step))).join(by);
    PhaseText {
        teacher: join(|step| &step.teacher, " "),
        pupils: join(|step| &step.pupils, " "),
        questions: steps.iter().flat_map(|step| step.questions.clone()).collect(),
        board: join(|step| &step.board, " | "),
    }
}

/// Words of the shortest opening that is not said again; `Set:` may stand before every task.
const OPENING: usize = 4;

/// The texts without those that were there before, each without the opening up to a colon under
/// which the text before it stands: what holds for several sub-topics in a row is said once.
fn said_once<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let (mut said, mut heard, mut opening): (Vec<&str>, Vec<&str>, _) = (Vec::new(), Vec::new(), None);
    for text in texts.filter(|text| !text.is_empty()) {
        let own = opened(text);
        let rest = own.filter(|(own, _)| opening == Some(*own)).map_or(text, |(_, rest)| rest);
        if !said.contains(&rest) && !heard.contains(&text) {
            said.push(rest);
            heard.push(text);
            opening = own.map(|(own, _)| own);
        }
    }
    said
}

/// A text's opening, where it is long enough to be left out, and what stands behind it.
fn opened(text: &str) -> Option<(&str, &str)> {
    text.split_once(": ").filter(|(opening, _)| opening.split_whitespace().count() >= OPENING)
}

/// The share of phases without a blank for the teacher. Everything outside the periods comes from
/// the pack, so it counts as one whole period.
fn coverage(periods: &[PeriodText]) -> f64 {
    let phases: Vec<&PhaseText> = periods.iter().flat_map(|period| &period.phases).collect();
    let blank = |phase: &&PhaseText| {
        let answers = phase.questions.iter().map(|qa| qa.a.as_str());
        answers.chain([phase.teacher.as_str(), phase.board.as_str()]).any(|text| text.contains('✎'))
    };
    let open = phases.iter().filter(|phase| blank(phase)).count();
    let frame = 5.0;
    1.0 - open as f64 / (phases.len() as f64 + frame)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_for_several_subtopics_is_said_once() {
        let texts = [
            "Explain with your own examples: iron rusts.",
            "Explain with your own examples: silver turns black.",
            "Explain with your own examples: iron rusts.",
            "",
            "Ask.",
        ];
        assert_eq!(
            said_once(texts.into_iter()),
            ["Explain with your own examples: iron rusts.", "silver turns black.", "Ask."]
        );
        assert_eq!(said_once(["Write.", "Write."].into_iter()), ["Write."]);
        // What comes after another instruction does not belong to it.
        let apart =
            ["Explain with your own examples: A.", "Now measure.", "Explain with your own examples: C."];
        assert_eq!(said_once(apart.into_iter()), apart);
        let later = ["Measure.", "Explain with your own examples: A.", "Explain with your own examples: B."];
        assert_eq!(said_once(later.into_iter()), ["Measure.", "Explain with your own examples: A.", "B."]);
        assert_eq!(said_once(["Set: one.", "Set: two."].into_iter()), ["Set: one.", "Set: two."]);
    }
}
