//! The slots that the bank fills: text and answers only, no number that the plan decides.

use banyan_bank::generators::Point;

use crate::plan::{Level, Slot};

/// Where a text comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// It is about this very chapter.
    Chapter,
    /// A task that is true for any chapter.
    General,
    /// A ruled line: the teacher writes the question.
    Open,
}

/// A part of a question, or a statement in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartText {
    /// Its text.
    pub text: String,
    /// Its marks; 0 for a statement that is only read.
    pub marks: u32,
}

/// What a slot is filled with.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// The question.
    pub text: String,
    /// Four options of a multiple choice question.
    pub options: Vec<String>,
    /// The place of the right option.
    pub right_option: Option<usize>,
    /// What belongs together in a match.
    pub pairs: Vec<(String, String)>,
    /// The second column as printed: places in `pairs`.
    pub shuffled: Vec<usize>,
    /// Parts, or statements to be read.
    pub parts: Vec<PartText>,
    /// The answer in one line.
    pub answer: String,
    /// The marking scheme; its half marks add up to the marks of the slot (V06).
    pub scheme: Vec<Point>,
    /// What it is about.
    pub subtopic: Topic,
    /// What it really asks of the pupil's mind.
    pub level: Level,
    /// Pairs of expressions with one value: the sums behind the answer (V14).
    pub proofs: Vec<(String, String)>,
    /// Where the text comes from.
    pub source: Source,
}

impl Body {
    /// Everything that is printed of it but the key, text by text.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let pairs = self.pairs.iter().flat_map(|(left, right)| [left, right]);
        let parts = self.parts.iter().map(|part| &part.text);
        std::iter::once(&self.text).chain(&self.options).chain(pairs).chain(parts).map(String::as_str)
    }

    /// The same in one line.
    pub fn printed(&self) -> String {
        self.texts().collect::<Vec<_>>().join(" ")
    }
}

/// What a question is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Topic {
    /// A sub-topic of the pack, from 0.
    Subtopic(usize),
    /// A problem worked out by rule.
    Numbers,
    /// The chapter as a whole.
    Whole,
}

/// A slot with its text.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The slot.
    pub slot: Slot,
    /// The question.
    pub body: Body,
    /// Its alternative, where there is a choice.
    pub alternative: Option<Body>,
}

impl Question {
    /// The question and its alternative.
    pub fn bodies(&self) -> impl Iterator<Item = &Body> {
        std::iter::once(&self.body).chain(&self.alternative)
    }
}

/// All slots of a paper, filled.
#[derive(Debug, Clone, PartialEq)]
pub struct Content {
    /// One per slot, in order.
    pub questions: Vec<Question>,
    /// Titles of the sub-topics that [`Topic::Subtopic`] counts.
    pub subtopics: Vec<String>,
    /// Share of texts about this very chapter, 0 to 1.
    pub coverage: f64,
}

impl Content {
    /// Filled slots with their coverage.
    pub fn new(questions: Vec<Question>, subtopics: Vec<String>) -> Self {
        let bodies = || questions.iter().flat_map(Question::bodies);
        let known = bodies().filter(|body| body.source == Source::Chapter).count();
        let coverage = known as f64 / bodies().count().max(1) as f64;
        Self { questions, subtopics, coverage }
    }
}
