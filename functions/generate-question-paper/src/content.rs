//! The slots that the bank fills: text and answers only, no number that the plan decides.

use banyan_bank::generators::Point;

use crate::bank::roman;
use crate::plan::{Level, Slot};

/// Sources of a text; text for this chapter comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// The bank knows it of this very chapter.
    Chapter,
    /// A model wrote it for this chapter.
    Model,
    /// A task that is true for any chapter, about a sub-topic of this one, which answers it.
    Subtopic,
    /// A task that is true for any chapter.
    General,
    /// A ruled line: the teacher writes the question.
    Open,
}

impl Source {
    /// Whether such a text, or its key, was written for the chapter, and not for any.
    pub fn is_of_the_chapter(self) -> bool {
        matches!(self, Self::Chapter | Self::Model | Self::Subtopic)
    }

    /// Whether the question would be true for any chapter.
    pub fn fits_any_chapter(self) -> bool {
        matches!(self, Self::Subtopic | Self::General)
    }
}

/// A part of a question, or a statement in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartText {
    /// Its text.
    pub text: String,
    /// Its marks; 0 for a statement that is only read.
    pub marks: u32,
}

/// The content of a slot.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// The question.
    pub text: String,
    /// Four options of a multiple choice question.
    pub options: Vec<String>,
    /// The place of the right option.
    pub right_option: Option<usize>,
    /// Pairs of a match.
    pub pairs: Vec<(String, String)>,
    /// The second column as printed: places in `pairs`.
    pub shuffled: Vec<usize>,
    /// Parts, or statements to be read.
    pub parts: Vec<PartText>,
    /// The answer in one line.
    pub answer: String,
    /// The marking scheme; its half marks add up to the marks of the slot (V06).
    pub scheme: Vec<Point>,
    /// The subject.
    pub subtopic: Topic,
    /// The thinking that it really asks of the pupil.
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

    /// The same and the key.
    pub fn all_texts(&self) -> impl Iterator<Item = &str> {
        let key = self.scheme.iter().map(|point| point.text.as_str());
        self.texts().chain(key).chain([self.answer.as_str()])
    }

    /// Questions and answers of it that have one: its parts, or the whole.
    pub fn asked(&self) -> Vec<(&str, &str)> {
        let with_marks = || self.parts.iter().filter(|part| part.marks > 0);
        let count = with_marks().count();
        if count == 0 {
            return vec![(&self.text, &self.answer)];
        }
        let of_part = |no: usize| {
            let (from, to) = (format!("({}) ", roman(no)), format!(" ({}) ", roman(no + 1)));
            let answer = self.answer.split_once(&from).map(|(_, rest)| rest)?;
            Some(answer.split_once(&to).map_or(answer, |(own, _)| own))
        };
        let point = |no: usize| {
            self.scheme.get(no - 1).filter(|_| self.scheme.len() == count).map(|point| point.text.as_str())
        };
        let answered = (1..)
            .zip(with_marks())
            .filter_map(|(no, part)| Some((part.text.as_str(), of_part(no).or_else(|| point(no))?)));
        answered.collect()
    }

    /// Returns whether the two may be alternatives of a choice: two calculations, or two questions
    /// on the chapter, but never a task for any chapter against a question on this one.
    pub fn is_like(&self, other: &Self) -> bool {
        match (self.source, other.source) {
            // The answers of both were written together.
            (Source::Model, Source::Model) => true,
            (one, two) if one.is_of_the_chapter() && two.is_of_the_chapter() => {
                self.is_calculation() == other.is_calculation()
            }
            (Source::General, Source::Open) => true,
            (one, two) => one == two,
        }
    }

    /// Whether it, or most of it, is worked out.
    pub fn is_calculation(&self) -> bool {
        match self.source {
            Source::Model => !self.proofs.is_empty(),
            _ => self.level == Level::Apply,
        }
    }

    /// All printed text except the key, in one line.
    pub fn printed(&self) -> String {
        self.texts().collect::<Vec<_>>().join(" ")
    }
}

/// The subject of a question.
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
        let known = bodies().filter(|body| body.source.is_of_the_chapter()).count();
        let coverage = known as f64 / bodies().count().max(1) as f64;
        Self { questions, subtopics, coverage }
    }

    /// The questions that have an alternative.
    pub fn with_choice(&self) -> impl Iterator<Item = &Question> {
        self.questions.iter().filter(|question| question.alternative.is_some())
    }

    /// The title of a sub-topic; empty where a question has none.
    pub fn title(&self, topic: Topic) -> &str {
        match topic {
            Topic::Subtopic(at) => self.subtopics.get(at).map_or("", String::as_str),
            Topic::Numbers | Topic::Whole => "",
        }
    }
}
