//! A lesson made from the facts of a sub-topic: what pupils know already, claims to judge, the explanation,
//! questions to write on.

use banyan_bank::packs::{Fact, Lesson, Pack, Step};
use banyan_bank::parts::Qa;
use banyan_functions::words::fill;

use super::composition::{claim, question};
use crate::words::{FactPhase, Words};

/// Claims that are judged before anything is explained.
const CLAIMS: usize = 3;

/// The lessons of a pack in the order of its sub-topics: its own where it has one, else from facts.
pub(super) fn lessons(pack: &Pack, band: usize, words: &Words) -> Vec<Lesson> {
    let lesson = |(at, subtopic): (usize, &banyan_bank::packs::Subtopic)| {
        let own = subtopic.lesson.clone();
        own.unwrap_or_else(|| from_facts(&pack.facts_of(at + 1), &subtopic.title, band, words))
    };
    pack.subtopics.iter().enumerate().map(lesson).collect()
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
    // A sub-topic has three facts or more: one opens, one closes, the others are worked on in between.
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
