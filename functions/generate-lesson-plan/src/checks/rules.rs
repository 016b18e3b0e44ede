//! Rules for one slot: structure, sums, length, language, topic, duplicates, safety, readability.

use std::collections::BTreeSet;

use banyan_bank::catalogue;
use banyan_bank::parts::{Bloom, Qa};
use banyan_functions::checks::readability::readability;
use banyan_functions::checks::{self, Finding, similarity};

use super::{arithmetic, length};
use crate::content::{FrameText, PeriodText};
use crate::plan::{PeriodPlan, Plan};
use crate::request::LessonRequest;

/// Problems of the text outside the periods.
pub fn frame(text: &FrameText, request: &LessonRequest, plan: &Plan) -> Vec<Finding> {
    let texts = frame_texts(text);
    // A text that is far too long is not checked further.
    let too_long = length::frame(text, &request.chapter, &texts);
    if !too_long.is_empty() {
        return too_long;
    }
    let mut findings = structure(text, plan);
    for item in &text.assessment {
        findings.extend(item.check.as_ref().and_then(|check| arithmetic::check_one(check, &item.a)));
    }
    findings.extend(arithmetic::check_all(text.diagnostic.iter()));
    findings.extend(checks::common(&texts, &request.typed(), request.language));
    if !on_topic(&texts, request, &text.key_terms.iter().map(|term| term.term.as_str()).collect::<Vec<_>>()) {
        findings
            .push(Finding::new("V11", format!("the text must be about the chapter “{}”", request.chapter)));
    }
    findings
}

/// Problems of one period; `terms` are the key terms of the plan.
pub fn period(text: &PeriodText, plan: &PeriodPlan, request: &LessonRequest, terms: &[&str]) -> Vec<Finding> {
    let texts = period_texts(text);
    let too_long = length::period(text, &request.chapter, &texts);
    if !too_long.is_empty() {
        return too_long;
    }
    let mut findings = Vec::new();
    if text.phases.len() != plan.minutes.len() {
        let problem =
            format!("phases must have exactly {} entries, not {}", plan.minutes.len(), text.phases.len());
        findings.push(Finding::new("V18", problem));
    }
    if text.phases.iter().any(|phase| phase.teacher.is_empty() || phase.pupils.is_empty()) {
        findings.push(Finding::new("V02", "every phase needs a text for teacher and for pupils"));
    }
    let questions: Vec<&Qa> =
        text.phases.iter().flat_map(|phase| &phase.questions).chain(std::iter::once(&text.check)).collect();
    if questions.iter().any(|qa| qa.q.is_empty() || qa.a.is_empty()) || text.homework.is_empty() {
        findings.push(Finding::new("V02", "every question needs an answer, and homework must not be empty"));
    }
    findings.extend(arithmetic::check_all(questions.iter().copied()));
    findings.extend(duplicates(&questions));
    findings.extend(checks::common(&texts, &request.typed(), request.language));
    if !on_topic(&texts, request, terms) {
        findings
            .push(Finding::new("V11", format!("the period must be about the chapter “{}”", request.chapter)));
    }
    let pupil_text: Vec<&str> =
        questions.iter().map(|qa| qa.q.as_str()).chain([text.homework.as_str()]).collect();
    findings.extend(readability(&pupil_text, request.language, request.class));
    findings
}

/// V02, V03 and V18: how many of each, every outcome tested, one of a higher level.
fn structure(text: &FrameText, plan: &Plan) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut between = |name: &str, count: usize, range: std::ops::RangeInclusive<usize>| {
        if !range.contains(&count) {
            let problem =
                format!("{name} must have {} to {} entries, not {count}", range.start(), range.end());
            findings.push(Finding::new("V02", problem));
        }
    };
    between("outcomes", text.outcomes.len(), 3..=8);
    between("priorKnowledge", text.prior_knowledge.len(), 2..=4);
    between("diagnostic", text.diagnostic.len(), 2..=4);
    between("keyTerms", text.key_terms.len(), 4..=10);
    between("resources", text.resources.len(), 3..=8);
    between("misconceptions", text.misconceptions.len(), 2..=5);
    between("assessment", text.assessment.len(), 3..=10);
    between("links", text.links.len(), 3..=6);
    if text.subtopics.len() != plan.periods.len() {
        let problem = format!("subtopics must have exactly {} entries, one per period", plan.periods.len());
        findings.push(Finding::new("V18", problem));
    }
    let distinct: BTreeSet<String> = text.subtopics.iter().map(|title| title.to_lowercase()).collect();
    if distinct.len() != text.subtopics.len() || text.subtopics.iter().any(String::is_empty) {
        findings.push(Finding::new("V18", "every period needs its own sub-topic; none may be repeated"));
    }
    if !text.outcomes.iter().any(|outcome| outcome.bloom >= Bloom::Analyse) {
        findings
            .push(Finding::new("V18", "at least one outcome must be of level analyse, evaluate or create"));
    }
    for no in 1..=text.outcomes.len() {
        if !text.assessment.iter().any(|item| item.outcome == no) {
            findings.push(Finding::new("V18", format!("no assessment item tests outcome {no}")));
        }
    }
    if text.assessment.iter().any(|item| !(1..=text.outcomes.len()).contains(&item.outcome)) {
        findings.push(Finding::new("V03", "an assessment item names an outcome that does not exist"));
    }
    findings
}

/// V11: at least one word of the chapter's title or one key term.
fn on_topic(texts: &[&str], request: &LessonRequest, terms: &[&str]) -> bool {
    let all = catalogue::folded(&texts.join(" "));
    let title = catalogue::words(&request.chapter);
    title.iter().any(|word| all.contains(word.as_str()))
        || terms.iter().any(|term| term.chars().count() > 2 && all.contains(&catalogue::folded(term)))
}

fn frame_texts(text: &FrameText) -> Vec<&str> {
    let mut texts: Vec<&str> = Vec::new();
    texts.extend(text.outcomes.iter().map(|outcome| outcome.text.as_str()));
    texts.extend(
        text.prior_knowledge
            .iter()
            .chain(&text.resources)
            .chain(&text.safety)
            .chain(&text.subtopics)
            .map(String::as_str),
    );
    texts.extend(text.diagnostic.iter().flat_map(|qa| [qa.q.as_str(), &qa.a]));
    texts.extend(text.key_terms.iter().flat_map(|term| [term.term.as_str(), &term.meaning]));
    texts.extend(text.misconceptions.iter().flat_map(|m| [m.wrong.as_str(), &m.right]));
    let d = &text.differentiation;
    texts.extend([d.support.as_str(), &d.core, &d.extension, &d.inclusive, &text.remedial, &text.enrichment]);
    texts.extend(text.assessment.iter().flat_map(|item| [item.q.as_str(), &item.a]));
    texts.extend(text.links.iter().flat_map(|link| [link.kind.as_str(), &link.text]));
    texts
}

fn period_texts(text: &PeriodText) -> Vec<&str> {
    let mut texts = vec![text.check.q.as_str(), &text.check.a, &text.homework];
    for phase in &text.phases {
        texts.extend([phase.teacher.as_str(), &phase.pupils, &phase.board]);
        texts.extend(phase.questions.iter().flat_map(|qa| [qa.q.as_str(), &qa.a]));
    }
    texts
}

/// V10: the same question in the same or nearly the same words.
fn duplicates(questions: &[&Qa]) -> Vec<Finding> {
    let texts: Vec<&str> = questions.iter().map(|qa| qa.q.as_str()).collect();
    let finding = |(at, _): (usize, usize)| {
        Finding::new("V10", format!("the question “{}” is there twice", questions[at].q))
    };
    similarity::repeated(&texts).into_iter().map(finding).collect()
}
