//! The slots that a model or the built-in bank fills: text only, no numbers that the plan decides.

use serde::{Deserialize, Serialize};

/// A level of Bloom's taxonomy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Bloom {
    /// Recall.
    Remember,
    /// Explain in one's own words.
    Understand,
    /// Use.
    Apply,
    /// Take apart, compare.
    Analyse,
    /// Judge.
    Evaluate,
    /// Make something new.
    Create,
}

impl Bloom {
    /// All levels, lowest first.
    pub const ALL: [Self; 6] =
        [Self::Remember, Self::Understand, Self::Apply, Self::Analyse, Self::Evaluate, Self::Create];
}

/// A learning outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// A statement with a measurable verb.
    pub text: String,
    /// Its level.
    pub bloom: Bloom,
}

/// A calculation that the program can repeat (V14).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// Numbers, `+ - * / ^`, `sqrt` and parentheses.
    pub expression: String,
    /// What it comes to.
    pub value: f64,
}

/// A question and its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Qa {
    /// The question.
    pub q: String,
    /// The expected answer.
    pub a: String,
    /// The calculation behind the answer, where there is one.
    #[serde(default, skip_serializing)]
    pub check: Option<Check>,
}

/// A term and its meaning in one line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Term {
    /// The term.
    pub term: String,
    /// Its meaning.
    pub meaning: String,
}

/// A common error and its correction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Misconception {
    /// What pupils think.
    pub wrong: String,
    /// What is right.
    pub right: String,
}

/// The same lesson for different pupils.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Differentiation {
    /// For pupils who need support.
    pub support: String,
    /// For pupils on level.
    pub core: String,
    /// For pupils ready for more.
    pub extension: String,
    /// For children with special needs.
    pub inclusive: String,
}

/// A link to another subject, to art, sport or life.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// What it links to.
    pub kind: String,
    /// How.
    pub text: String,
}

/// A summative item and the outcome that it tests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AssessmentItem {
    /// Number of the outcome, from 1.
    pub outcome: usize,
    /// The question.
    pub q: String,
    /// The expected answer.
    pub a: String,
    /// The calculation behind the answer, where there is one.
    #[serde(default, skip_serializing)]
    pub check: Option<Check>,
}

/// Everything of a plan outside its periods.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameText {
    /// L2.
    pub outcomes: Vec<Outcome>,
    /// L3: what was taught before.
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
    /// What the teacher does.
    pub teacher: String,
    /// What the pupils do.
    pub pupils: String,
    /// Questions to ask with the expected answers.
    #[serde(default)]
    pub questions: Vec<Qa>,
    /// What is written on the board; may be empty.
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
    /// As many as the plan has.
    pub periods: Vec<PeriodText>,
    /// Share of slots with text of this very chapter, 0 to 1.
    pub coverage: f64,
}
