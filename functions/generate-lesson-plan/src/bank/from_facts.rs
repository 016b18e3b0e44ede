//! Builds a lesson from the facts of a sub-topic: prior knowledge, claims to judge, the
//! explanation, questions to write on.

use std::ops::Range;

use banyan_bank::packs::{Fact, Lesson, Pack, Step};
use banyan_bank::parts::Qa;
use banyan_functions::words::fill;

use super::composition::{claim, question};
use crate::words::{FactPhase, Words};

/// Claims that are judged before anything is explained.
const CLAIMS: usize = 3;

/// The most facts of a sub-topic where a period treats one, two, or more of them.
const FACTS: [usize; 3] = [usize::MAX, 4, 3];

/// The most questions of a phase where a period treats more than two sub-topics.
const QUESTIONS: usize = 1;

/// The lessons of these sub-topics, which one period treats: the pack's own where it has one, else
/// from facts.
pub(super) fn lessons(pack: &Pack, group: Range<usize>, band: usize, words: &Words) -> Vec<Lesson> {
    let is_crowded = group.len() >= FACTS.len();
    let most = FACTS[group.len().min(FACTS.len()) - 1];
    let lesson = |at: usize| {
        let subtopic = &pack.subtopics[at];
        let mut facts = pack.facts_of(at + 1);
        facts.truncate(most);
        let lesson = subtopic.lesson.clone();
        let mut lesson = lesson.unwrap_or_else(|| from_facts(&facts, &subtopic.title, band, words));
        if is_crowded {
            for phase in [&mut lesson.explain, &mut lesson.elaborate] {
                phase.questions.truncate(QUESTIONS);
            }
        }
        lesson
    };
    group.map(lesson).collect()
}

fn from_facts(facts: &[&Fact], title: &str, band: usize, words: &Words) -> Lesson {
    let phases = words.fact_phases.as_ref().expect("every language with packs has the phases");
    let statements = facts.iter().map(|fact| fact.right.as_str()).collect::<Vec<_>>().join(" ");
    let step = |phase: &FactPhase, questions: Vec<Qa>| {
        let places = [("subtopic", title), ("facts", statements.as_str())];
        Step {
            teacher: fill(&phase.teacher, &places),
            pupils: fill(&phase.pupils, &places),
            questions,
            board: fill(&phase.board, &places),
        }
    };
    // A sub-topic has three facts or more: one opens, one closes, the others are worked on in
    // between.
    let (first, rest) = facts.split_first().expect("every sub-topic has facts");
    let (last, middle) = rest.split_last().expect("every sub-topic has several facts");
    let claims = rest.iter().enumerate().take(CLAIMS).map(|(at, fact)| claim(fact, at % 2 == 1, words));
    Lesson {
        engage: step(&phases.engage, vec![question(first)]),
        explore: step(&phases.explore, claims.collect()),
        explain: step(&phases.explain, Vec::new()),
        elaborate: step(&phases.elaborate, middle.iter().map(|fact| question(fact)).collect()),
        check: question(last),
        homework: fill(&words.homework[band], &[("subtopic", title)]),
    }
}
