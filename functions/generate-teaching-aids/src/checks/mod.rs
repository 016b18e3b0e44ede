//! Checks on the text of an aid (SPECIFICATION.md GEN-7): a model's before it is taken, any before
//! it is delivered.

/// How long it may be.
mod length;

use banyan_bank::arithmetic;
use banyan_bank::catalogue;
use banyan_functions::checks::readability::readability;
use banyan_functions::checks::{self, Finding, similarity};

use crate::bank::BULLET_WORDS;
use crate::content::{AidText, Content};
use crate::kind::Kind;
use crate::plan::{AidPlan, Plan};
use crate::request::AidsRequest;

/// Problems of a document: its numbers must be those of the plan, and no text may be empty.
pub fn content(request: &AidsRequest, plan: &Plan, content: &Content) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    if content.aids.len() != plan.aids.len() {
        findings.push(Finding::new("V05", "every kind that was asked for must be there once"));
    }
    for (aid, text) in plan.aids.iter().zip(&content.aids) {
        findings.extend(shape(aid, text));
        let judged = checks::common(&texts(text), &request.typed(), request.language);
        findings.extend(judged.into_iter().filter(|finding| finding.id == "V20"));
    }
    findings
}

/// Problems of a model's text for an aid.
pub fn aid(request: &AidsRequest, plan: &AidPlan, text: &AidText) -> Vec<Finding> {
    // A text that is far too long is not checked further.
    let too_long = length::aid(text, &request.chapter);
    if !too_long.is_empty() {
        return too_long;
    }
    let mut findings = shape(plan, text);
    let texts = texts(text);
    let common = checks::common(&texts, &request.typed(), request.language);
    findings.extend(common);
    let sums = match text {
        AidText::Sheet(sheet) => sheet
            .items
            .iter()
            .filter_map(|item| arithmetic::check_one(item.check.as_ref()?, &item.answer))
            .collect::<Vec<_>>(),
        _ => Vec::new(),
    };
    findings.extend(sums.into_iter().map(|problem| Finding::new("V14", problem)));
    let repeated = similarity::repeated(&questions(text));
    findings.extend(repeated.into_iter().map(|_| Finding::new("V10", "no question may be there twice")));
    let all = catalogue::folded(&texts.join(" "));
    if plan.kind != Kind::Rubrics && !catalogue::words(&request.chapter).iter().any(|word| all.contains(word))
    {
        let problem = format!("the text must be about the chapter “{}”", request.chapter);
        findings.push(Finding::new("V11", problem));
    }
    findings.extend(readability(&texts, request.language, request.class));
    findings
}

/// V02, V03, V07, V08, V22: as many as planned, none empty, cards that fit one partner only, short
/// lines on slides.
fn shape(plan: &AidPlan, text: &AidText) -> Vec<Finding> {
    let mut findings = Vec::new();
    let (count, name) = match text {
        AidText::Sheet(sheet) => (sheet.items.len(), "items"),
        AidText::Cards(cards) => (cards.cards.len(), "cards"),
        AidText::Activities(all) => (all.activities.len(), "activities"),
        AidText::Slides(slides) => (slides.slides.len(), "slides"),
        AidText::Guide(guide) => (guide.practice.len().clamp(5, 10), "practice"),
        AidText::Rubric(rubric) => (rubric.criteria.len(), "criteria"),
    };
    let expected = if plan.kind == Kind::StudyGuides { plan.count.clamp(5, 10) } else { plan.count };
    if count != expected {
        findings
            .push(Finding::new("V03", format!("{name} must have exactly {expected} entries, not {count}")));
    }
    match text {
        AidText::Cards(cards) => {
            let closed: Vec<String> = cards
                .cards
                .iter()
                .filter(|card| !card.back.contains('✎'))
                .map(|card| card.back.to_lowercase())
                .collect();
            let distinct: std::collections::BTreeSet<&String> = closed.iter().collect();
            if distinct.len() != closed.len() || cards.cards.iter().any(|card| card.front.is_empty()) {
                findings
                    .push(Finding::new("V08", "every card needs a front, and a back that no other card has"));
            }
        }
        AidText::Activities(all) => {
            let whole = |activity: &crate::content::Activity| {
                activity.steps.len() >= 3
                    && (2..=5).contains(&activity.columns.len())
                    && !activity.title.is_empty()
            };
            if !all.activities.iter().all(whole) {
                findings.push(Finding::new(
                    "V02",
                    "an activity needs a title, 3 steps or more and 2 to 5 columns",
                ));
            }
        }
        AidText::Slides(slides) => {
            let long = |bullet: &String| bullet.split_whitespace().count() > BULLET_WORDS;
            let crowded =
                slides.slides.iter().any(|slide| slide.bullets.len() > 5 || slide.bullets.iter().any(long));
            if crowded || slides.slides.iter().any(|slide| slide.title.is_empty()) {
                findings.push(Finding::new(
                    "V22",
                    "a slide needs a title and at most 5 bullets of at most 8 words",
                ));
            }
        }
        AidText::Rubric(rubric) => {
            if rubric
                .criteria
                .iter()
                .any(|row| row.levels.len() != 4 || row.levels.iter().any(String::is_empty))
            {
                findings
                    .push(Finding::new("V02", "every criterion needs exactly 4 levels, the best one first"));
            }
        }
        AidText::Guide(guide) => {
            if guide.terms.len() < 3 || guide.concepts.len() < 3 {
                findings.push(Finding::new("V02", "at least 3 terms and 3 concepts"));
            }
        }
        AidText::Sheet(sheet) => {
            if sheet.items.iter().any(|item| item.text.is_empty() || item.answer.is_empty()) {
                findings.push(Finding::new("V02", "every item needs text and answer"));
            }
        }
    }
    findings
}

fn questions(text: &AidText) -> Vec<&str> {
    match text {
        AidText::Sheet(sheet) => sheet.items.iter().map(|item| item.text.as_str()).collect(),
        AidText::Guide(guide) => guide.practice.iter().map(|qa| qa.q.as_str()).collect(),
        _ => Vec::new(),
    }
}

/// Every text of an aid.
pub(crate) fn texts(text: &AidText) -> Vec<&str> {
    match text {
        AidText::Sheet(sheet) => {
            sheet.items.iter().flat_map(|item| [item.text.as_str(), &item.answer]).collect()
        }
        AidText::Cards(cards) => {
            cards.cards.iter().flat_map(|card| [card.front.as_str(), &card.back]).collect()
        }
        AidText::Activities(all) => all
            .activities
            .iter()
            .flat_map(|a| {
                let lines =
                    a.materials.iter().chain(&a.steps).chain(&a.columns).chain(&a.safety).map(String::as_str);
                let talk = a.discuss.iter().flat_map(|qa| [qa.q.as_str(), &qa.a]);
                [a.title.as_str(), &a.aim, &a.expected].into_iter().chain(lines).chain(talk)
            })
            .collect(),
        AidText::Slides(slides) => slides
            .slides
            .iter()
            .flat_map(|s| {
                [s.title.as_str(), &s.note, &s.drawing]
                    .into_iter()
                    .chain(s.bullets.iter().map(String::as_str))
            })
            .collect(),
        AidText::Guide(guide) => {
            let terms = guide.terms.iter().flat_map(|term| [term.term.as_str(), &term.meaning]);
            let lines = guide.concepts.iter().chain(&guide.remember).map(String::as_str);
            let asked = guide.examples.iter().chain(&guide.practice).flat_map(|qa| [qa.q.as_str(), &qa.a]);
            let errors = guide.errors.iter().flat_map(|error| [error.wrong.as_str(), &error.right]);
            terms.chain(lines).chain(asked).chain(errors).collect()
        }
        AidText::Rubric(rubric) => rubric
            .criteria
            .iter()
            .flat_map(|row| std::iter::once(row.name.as_str()).chain(row.levels.iter().map(String::as_str)))
            .collect(),
    }
}
