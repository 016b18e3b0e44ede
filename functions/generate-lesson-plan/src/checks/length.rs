//! How long the parts of a plan may be (V22; SPECIFICATION.md DOM-2.1): about twice what the bank
//! needs at most.

use banyan_bank::parts::Qa;
use banyan_functions::checks::Finding;
use banyan_functions::checks::length::Room;

use crate::content::{FrameText, PeriodText};

/// Characters of a question, and of its answer.
const QUESTION: usize = 400;

/// Characters of everything outside the periods: about four pages.
const FRAME: usize = 12_000;

/// Characters of a period: between three and four pages.
const PERIOD: usize = 10_000;

/// Texts outside the periods that are too long; `texts` are all of them.
pub(super) fn frame(text: &FrameText, chapter: &str, texts: &[&str]) -> Vec<Finding> {
    let more = &text.differentiation;
    Room::about(chapter)
        .each("outcomes", 240, text.outcomes.iter().map(|outcome| &outcome.text))
        .each("priorKnowledge", 240, &text.prior_knowledge)
        .each("keyTerms", 200, text.key_terms.iter().flat_map(|term| [&term.term, &term.meaning]))
        .each("resources", 240, &text.resources)
        .each("misconceptions", 300, text.misconceptions.iter().flat_map(|m| [&m.wrong, &m.right]))
        .each("differentiation", 500, [&more.support, &more.core, &more.extension, &more.inclusive])
        .each("diagnostic", QUESTION, asked(&text.diagnostic))
        .each("assessment", QUESTION, text.assessment.iter().flat_map(|item| [&item.q, &item.a]))
        .each("links", 400, text.links.iter().flat_map(|link| [&link.kind, &link.text]))
        .each("remedial and enrichment", 500, [&text.remedial, &text.enrichment])
        .each("safety", 240, &text.safety)
        .entries("safety", 6, text.safety.len())
        .each("subtopics", 240, &text.subtopics)
        .together(FRAME, texts)
        .findings()
}

/// Texts of a period that are too long; `texts` are all of them.
pub(super) fn period(text: &PeriodText, chapter: &str, texts: &[&str]) -> Vec<Finding> {
    let phases = &text.phases;
    Room::about(chapter)
        .each("teacher", 2_000, phases.iter().map(|phase| &phase.teacher))
        .each("pupils", 800, phases.iter().map(|phase| &phase.pupils))
        .each("board", 600, phases.iter().map(|phase| &phase.board))
        .each("questions", QUESTION, phases.iter().flat_map(|phase| asked(&phase.questions)))
        .entries("questions", 15, phases.iter().map(|phase| phase.questions.len()).max().unwrap_or(0))
        .each("check", QUESTION, [&text.check.q, &text.check.a])
        .each("homework", 600, [&text.homework])
        .together(PERIOD, texts)
        .findings()
}

fn asked(questions: &[Qa]) -> impl Iterator<Item = &String> {
    questions.iter().flat_map(|qa| [&qa.q, &qa.a])
}
