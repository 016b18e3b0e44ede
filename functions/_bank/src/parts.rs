//! The parts that chapters and documents are made of: text only, no numbers that a plan decides.

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
