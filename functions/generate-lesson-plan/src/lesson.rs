//! The structured document `lp/1`: plan and text together, from which text and file are made
//! (SPECIFICATION.md GEN-6).

use banyan_bank::parts::{AssessmentItem, Bloom, Check, Differentiation, Link, Misconception, Qa, Term};
use banyan_bank::subjects::{Convention, Family};
use banyan_functions::metadata::{About, Head, Remarks};
use serde::Serialize;

use crate::content::{Content, PhaseText};
use crate::order::{self, Placed};
use crate::plan::{PERIOD_MINUTES, Plan};
use crate::request::LessonRequest;
use crate::words::Words;

/// Kind of the document, and form of its data.
pub const FORM: (&str, &str) = ("lesson-plan", "lp/1");

/// Words of the longest answer that names one thing only.
const SHORT_ANSWER: usize = 4;

/// A lesson plan.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Lesson {
    /// The head of every structured document.
    #[serde(flatten)]
    pub head: Head,
    /// The chapter.
    #[serde(flatten)]
    pub about: About,
    /// Minutes of each period.
    pub period_minutes: u32,
    /// The order and names of the parts, where a sample has shown them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub order: Vec<Placed>,
    /// L2.
    pub outcomes: Vec<LessonOutcome>,
    /// L3.
    pub prior_knowledge: Vec<TextItem>,
    /// L3.
    pub diagnostic: Vec<Qa>,
    /// L4.
    pub key_terms: Vec<Term>,
    /// L5.
    pub resources: Vec<String>,
    /// L6.
    pub periods: Vec<Period>,
    /// L7.
    pub misconceptions: Vec<Misconception>,
    /// L8.
    pub differentiation: Differentiation,
    /// L9.
    pub assessment: Vec<Item>,
    /// L11.
    pub links: Vec<Link>,
    /// L12.
    pub remedial: String,
    /// L12.
    pub enrichment: String,
    /// Safety lines.
    pub safety: Vec<String>,
}

/// An outcome with its id.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LessonOutcome {
    /// `O1` and so on.
    pub id: String,
    /// The statement.
    pub text: String,
    /// Its level.
    pub bloom: Bloom,
}

/// A line of text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TextItem {
    /// The line.
    pub text: String,
}

/// A period.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Period {
    /// From 1.
    pub no: u8,
    /// Its own sub-topic.
    pub subtopic: String,
    /// Outcomes that it works for.
    pub outcome_ids: Vec<String>,
    /// Its steps.
    pub phases: Vec<Phase>,
    /// The question at the end.
    pub check: Qa,
    /// Work at home.
    pub homework: String,
}

/// A step of a period.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Phase {
    /// Its name.
    pub name: String,
    /// Its length.
    pub minutes: u32,
    /// The work in it.
    #[serde(flatten)]
    pub text: PhaseText,
}

/// A summative item.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    /// The outcome that it tests.
    pub outcome_id: String,
    /// The question.
    pub q: String,
    /// The expected answer.
    pub a: String,
    /// Decided by the outcome's level, never by a model.
    pub marks: u32,
}

/// Puts plan and text together; every number comes from the plan.
pub fn assemble(
    request: &LessonRequest,
    plan: &Plan,
    words: &Words,
    content: Content,
    remarks: Remarks,
) -> Lesson {
    let Content { frame, periods, .. } = content;
    let count = frame.outcomes.len();
    let names = phase_names(plan, words);
    let periods = plan.periods.iter().zip(periods).zip(&frame.subtopics).map(|((period, text), subtopic)| {
        let phases = period.minutes.iter().zip(names).zip(text.phases);
        Period {
            no: period.no,
            subtopic: subtopic.clone(),
            outcome_ids: outcome_ids(usize::from(period.no), plan, count),
            phases: phases
                .map(|((minutes, name), text)| Phase { name: name.clone(), minutes: *minutes, text })
                .collect(),
            check: text.check,
            homework: text.homework,
        }
    });
    let periods = periods.collect();
    let marks = |outcome: usize| frame.outcomes.get(outcome - 1).map_or(1, |outcome| marks_of(outcome.bloom));
    let item = |item: &AssessmentItem| Item {
        outcome_id: format!("O{}", item.outcome),
        q: item.q.clone(),
        a: item.a.clone(),
        marks: marks(item.outcome).min(most_marks(item)),
    };
    let title = format!("{}: {}", words.heading("title"), request.chapter);
    Lesson {
        head: Head::new(FORM, title, request.language, remarks),
        about: request.about(words),
        period_minutes: PERIOD_MINUTES,
        order: order::of(request),
        assessment: frame.assessment.iter().map(item).collect(),
        outcomes: (1..)
            .zip(frame.outcomes)
            .map(|(no, outcome)| LessonOutcome {
                id: format!("O{no}"),
                text: outcome.text,
                bloom: outcome.bloom,
            })
            .collect(),
        prior_knowledge: frame.prior_knowledge.into_iter().map(|text| TextItem { text }).collect(),
        diagnostic: frame.diagnostic,
        key_terms: frame.key_terms,
        resources: frame.resources,
        periods,
        misconceptions: frame.misconceptions,
        differentiation: frame.differentiation,
        links: frame.links,
        remedial: frame.remedial,
        enrichment: frame.enrichment,
        safety: frame.safety,
    }
}

/// The names of the steps, as the board or the subject calls them.
pub fn phase_names<'a>(plan: &Plan, words: &'a Words) -> &'a [String] {
    match plan.family {
        Family::Language => &words.phases.language,
        Family::Arts => &words.phases.arts,
        Family::PhysicalEducation => &words.phases.physical_education,
        _ if plan.convention == Convention::Herbartian => &words.phases.herbartian,
        _ => &words.phases.five_e,
    }
}

/// Outcomes are dealt over the teaching periods in order; a period for practice works for all.
fn outcome_ids(no: usize, plan: &Plan, count: usize) -> Vec<String> {
    let teaching = plan.teaching_periods();
    let range = if no > teaching {
        0..count
    } else {
        crate::plan::spread(count.max(teaching), teaching)[no - 1].clone()
    };
    range.map(|at| format!("O{}", at.min(count.saturating_sub(1)) + 1)).collect()
}

/// A name is worth one mark whatever its outcome asks for, one more for each step of a sum up to
/// three, and an answer of a single point two.
fn most_marks(item: &AssessmentItem) -> u32 {
    let is_open = item.a.contains('✎');
    let is_short = !is_open && item.a.split_whitespace().count() <= SHORT_ANSWER;
    let points = item.a.split([';', '.', '।']).filter(|point| !point.trim().is_empty()).count();
    match (is_short, &item.check) {
        (true, None) => 1,
        (true, Some(check)) => (1 + steps(check)).min(3),
        (false, None) if !is_open && points < 2 => 2,
        (false, _) => 4,
    }
}

/// How many operations a calculation has.
fn steps(check: &Check) -> u32 {
    let signs = check.expression.matches(['+', '-', '*', '/', '^']).count();
    u32::try_from(signs + check.expression.matches("sqrt").count()).unwrap_or(u32::MAX)
}

fn marks_of(bloom: Bloom) -> u32 {
    match bloom {
        Bloom::Remember => 1,
        Bloom::Understand => 2,
        Bloom::Apply | Bloom::Analyse => 3,
        Bloom::Evaluate | Bloom::Create => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_worth_what_it_says() {
        let sum = |expression: &str| Some(Check { expression: expression.to_owned(), value: 6.0 });
        let table = [
            ("a magnet", None, 1),
            ("1/2", sum("0.5"), 1),
            ("6 A", sum("2*3"), 2),
            ("6 A", sum("2*3*4/4"), 3),
            ("It is a push or a pull that changes motion.", None, 2),
            ("Each gets the full voltage; each is switched alone.", None, 4),
            ("V = 2 × 3 = 6 V, more than before.", sum("2*3"), 4),
            ("Two reasons. ✎ ______", None, 4),
        ];
        for (answer, check, most) in table {
            let item = AssessmentItem { outcome: 1, q: String::new(), a: answer.to_owned(), check };
            assert_eq!(most_marks(&item), most, "{answer}");
        }
    }
}
