//! The slots that a model or the built-in bank fills: text only, no numbers that the plan decides.

use banyan_bank::parts::{AssessmentItem, Differentiation, Link, Misconception, Outcome, Qa, Term};
use serde::{Deserialize, Serialize};

/// Everything of a plan outside its periods.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameText {
    /// L2.
    pub outcomes: Vec<Outcome>,
    /// L3: prior knowledge.
    pub prior_knowledge: Vec<String>,
    /// L3: questions that show whether it is there.
    pub diagnostic: Vec<Qa>,
    /// L4.
    pub key_terms: Vec<Term>,
    /// L5.
    pub resources: Vec<String>,
    /// L7.
    pub misconceptions: Vec<Misconception>,
    /// L8.
    pub differentiation: Differentiation,
    /// L9.
    pub assessment: Vec<AssessmentItem>,
    /// L11.
    pub links: Vec<Link>,
    /// L12: under 60 % of the class reached the outcomes.
    pub remedial: String,
    /// L12: most of the class reached them.
    pub enrichment: String,
    /// Safety lines, where the lesson needs them.
    #[serde(default)]
    pub safety: Vec<String>,
    /// One title per period, in teaching order.
    pub subtopics: Vec<String>,
}

/// One phase of a period.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PhaseText {
    /// The teacher's part.
    pub teacher: String,
    /// The pupils' part.
    pub pupils: String,
    /// Questions to ask with the expected answers.
    #[serde(default)]
    pub questions: Vec<Qa>,
    /// Text on the board; may be empty.
    #[serde(default)]
    pub board: String,
}

/// One period.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PeriodText {
    /// One per phase of the plan.
    pub phases: Vec<PhaseText>,
    /// The question at the end.
    pub check: Qa,
    /// 15 to 30 minutes of work at home.
    pub homework: String,
}

/// All slots of a document, filled.
#[derive(Debug, Clone, PartialEq)]
pub struct Content {
    /// Everything outside the periods.
    pub frame: FrameText,
    /// One for each in the plan.
    pub periods: Vec<PeriodText>,
    /// Share of slots with text of this very chapter, 0 to 1.
    pub coverage: f64,
}
