//! The table of specification, for the teacher only: sub-topics by types, levels and difficulties,
//! counted from the questions as they are (SPECIFICATION.md DOM-3.4).

use std::collections::BTreeMap;

use banyan_bank::generators::Difficulty;
use serde::Serialize;

use crate::content::{Content, Question, Source, Topic};
use crate::plan::{Level, QuestionType};
use crate::words::Words;

/// Questions and their marks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// How many.
    pub count: u32,
    /// Their marks.
    pub marks: u32,
}

impl Tally {
    fn add(&mut self, marks: u32) {
        self.count += 1;
        self.marks += marks;
    }
}

/// A sub-topic's row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// The sub-topic.
    pub subtopic: String,
    /// Its questions by type.
    pub types: BTreeMap<QuestionType, Tally>,
    /// Its marks.
    pub marks: u32,
}

/// The table of specification. Sub-topics and types add up to the marks that are printed, levels
/// and difficulties to those of the questions that are written; alternatives do not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Blueprint {
    /// Rows by sub-topic.
    pub by_subtopic: Vec<Row>,
    /// By type.
    pub by_type: BTreeMap<QuestionType, Tally>,
    /// Marks by level, lowest first.
    pub by_bloom: [u32; 3],
    /// Marks by difficulty, easiest first.
    pub by_difficulty: [u32; 3],
    /// Marks of all printed questions.
    pub marks: u32,
}

impl Blueprint {
    /// Counts the questions.
    pub(crate) fn of(content: &Content, words: &Words) -> Self {
        let mut rows: BTreeMap<Topic, BTreeMap<QuestionType, Tally>> = BTreeMap::new();
        let mut blueprint = Self {
            by_subtopic: Vec::new(),
            by_type: BTreeMap::new(),
            by_bloom: [0; 3],
            by_difficulty: [0; 3],
            marks: 0,
        };
        for Question { slot, body, .. } in &content.questions {
            rows.entry(body.subtopic).or_default().entry(slot.kind).or_default().add(slot.marks);
            blueprint.by_type.entry(slot.kind).or_default().add(slot.marks);
            // Of a question that the teacher will write neither is known.
            if body.source != Source::Open {
                blueprint.by_bloom[level_at(body.level)] += slot.marks;
                blueprint.by_difficulty[difficulty_at(slot.difficulty)] += slot.marks;
            }
            blueprint.marks += slot.marks;
        }
        let row = |(topic, types): (Topic, BTreeMap<QuestionType, Tally>)| Row {
            subtopic: name(topic, &content.subtopics, words),
            marks: types.values().map(|tally| tally.marks).sum(),
            types,
        };
        blueprint.by_subtopic = rows.into_iter().map(row).collect();
        blueprint
    }
}

/// A topic's name.
pub(crate) fn name(topic: Topic, subtopics: &[String], words: &Words) -> String {
    match topic {
        Topic::Subtopic(at) => subtopics.get(at).cloned().unwrap_or_default(),
        Topic::Numbers => words.heading("numberProblems").to_owned(),
        Topic::Whole => words.heading("wholeChapter").to_owned(),
    }
}

pub(crate) fn level_at(level: Level) -> usize {
    Level::ALL.iter().position(|other| *other == level).unwrap_or(0)
}

pub(crate) fn difficulty_at(difficulty: Difficulty) -> usize {
    Difficulty::ALL.iter().position(|other| *other == difficulty).unwrap_or(0)
}
