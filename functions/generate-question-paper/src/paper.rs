//! The structured document `qp/1`: plan and text together, from which text and file are made
//! (SPECIFICATION.md GEN-6).

use banyan_bank::arithmetic::evaluate;
use banyan_bank::generators::{Difficulty, Point};
use banyan_functions::dates::Day;
use banyan_functions::metadata::{About, Head, Remarks};
use serde::Serialize;

use crate::blueprint::{self, Blueprint};
use crate::content::{Body, Content, Question, Source};
use crate::instructions;
use crate::plan::{Level, Part, Plan, QuestionType, SampleStyle, Section};
use crate::request::PaperRequest;
use crate::words::Words;

/// Kind of the document, and form of its data.
pub const FORM: (&str, &str) = ("question-paper", "qp/1");

/// A question paper with its key.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Paper {
    /// The head of every structured document.
    #[serde(flatten)]
    pub head: Head,
    /// The chapter.
    #[serde(flatten)]
    pub about: About,
    /// The school year, `2026-27`.
    pub session: String,
    /// The name of the examination, where a sample has shown it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub examination: Option<String>,
    /// What stands before and behind the numbers of questions, where a sample has shown it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub numbering: Option<[String; 2]>,
    /// The maximum marks.
    pub total_marks: u32,
    /// Minutes allowed.
    pub minutes: u32,
    /// The general instructions.
    pub instructions: Vec<String>,
    /// The sections.
    pub sections: Vec<PaperSection>,
    /// The table of specification.
    pub blueprint: Blueprint,
}

/// A section.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PaperSection {
    /// `A` and so on.
    pub letter: char,
    /// Its name, where a sample has shown it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The types in it.
    pub title: String,
    /// The line below the heading, with the sum.
    pub line: String,
    /// How many questions are to be attempted, where that is not all.
    pub attempt: Option<u32>,
    /// One per type.
    pub parts: Vec<PaperPart>,
    /// Marks of the questions to be attempted.
    pub marks: u32,
}

/// Questions of one type.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PaperPart {
    /// The type.
    #[serde(rename = "type")]
    pub kind: QuestionType,
    /// Its name in the document's language.
    pub title: String,
    /// Questions printed.
    pub count: u32,
    /// Marks of each.
    pub marks_each: u32,
    /// The questions.
    pub questions: Vec<PaperQuestion>,
}

/// A question with its key.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PaperQuestion {
    /// Its number in the paper.
    pub no: u32,
    /// `Q07`; an alternative has the id of its question with `-or`.
    pub id: String,
    /// Its text.
    pub text: String,
    /// Options of a multiple choice question.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// The two columns of a match as printed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<PaperPair>,
    /// Parts, or statements to be read, with their marks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PaperPiece>,
    /// Its alternative.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<Box<PaperQuestion>>,
    /// Its marks.
    pub marks: u32,
    /// The subject.
    pub subtopic: String,
    /// The thinking that it asks of the pupil.
    pub bloom: &'static str,
    /// `easy`, `average` or `difficult`.
    pub difficulty: &'static str,
    /// The answer in one line.
    pub answer: String,
    /// The letter of the right option.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<char>,
    /// The marking scheme.
    pub scheme: Vec<PaperPoint>,
    /// A sum behind the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<PaperCheck>,
}

/// A row of a match: what stands on the left, and what stands beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PaperPair {
    /// In the first column.
    pub left: String,
    /// In the second column, shuffled.
    pub right: String,
}

/// A part of a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PaperPiece {
    /// `(i)`, or `I.` for a statement.
    pub marker: String,
    /// Its text.
    pub text: String,
    /// Its marks; 0 for a statement.
    pub marks: u32,
}

/// A point of the marking scheme.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PaperPoint {
    /// Required parts of the answer.
    pub point: String,
    /// Its marks, in halves.
    pub marks: f64,
}

/// A sum that a program can repeat.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PaperCheck {
    /// The sum.
    pub expression: String,
    /// What it comes to.
    pub value: f64,
}

/// Puts plan and text together; every number comes from the plan.
pub fn assemble(
    request: &PaperRequest,
    plan: &Plan,
    words: &Words,
    content: &Content,
    remarks: Remarks,
) -> Paper {
    let style = SampleStyle::by(request);
    let mut questions = content.questions.iter();
    let mut before = 0;
    let mut sections = Vec::new();
    for section in &plan.sections {
        let part = |part: &Part| PaperPart {
            kind: part.kind,
            title: words.kind(part.kind).to_owned(),
            count: part.count(),
            marks_each: part.each,
            questions: questions
                .by_ref()
                .take(part.slots.len())
                .map(|filled| question(filled, content, words))
                .collect(),
        };
        let count = section.slots().count();
        let title = title(section, &content.questions[before..before + count], words);
        before += count;
        sections.push(PaperSection {
            letter: section.letter,
            name: style.sections.get(sections.len()).cloned(),
            line: line(section, &title),
            title,
            attempt: section.attempt,
            parts: section.parts.iter().map(part).collect(),
            marks: section.marks(),
        });
    }
    let title = format!("{}: {}", words.heading("title"), request.chapter);
    Paper {
        session: Day::parse(&remarks.created_on).map(Day::school_year).unwrap_or_default(),
        head: Head::new(FORM, title, request.language, remarks),
        about: request.about(words),
        total_marks: plan.marks,
        minutes: plan.minutes,
        instructions: instructions::of(request.class, plan, content, words, &style.sections),
        examination: style.examination,
        numbering: style.numbering,
        sections,
        blueprint: Blueprint::of(content, words),
    }
}

/// The types in a section; of several sections with one type, which one it is, and the level where
/// all its questions have the same.
fn title(section: &Section, questions: &[Question], words: &Words) -> String {
    const NUMBERS: [&str; 6] = ["I", "II", "III", "IV", "V", "VI"];
    let mut kinds: Vec<&str> = section.parts.iter().map(|part| words.kind(part.kind)).collect();
    kinds.dedup();
    let kinds = kinds.join(", ");
    let (no, of) = section.piece;
    if of == 1 {
        return kinds;
    }
    let number = NUMBERS.get(no as usize - 1).copied().unwrap_or_default();
    let mut bodies = questions.iter().flat_map(Question::bodies);
    let level = bodies.next().filter(|body| body.source != Source::Open).map(|body| body.level);
    match level.filter(|level| bodies.all(|body| body.source != Source::Open && body.level == *level)) {
        Some(level) => format!("{kinds} – {number} ({})", words.levels[blueprint::level_at(level)]),
        None => format!("{kinds} – {number}"),
    }
}

/// `Multiple Choice Questions (15 × 1 + 1 × 5 = 20)`: the sum that a reader can check.
fn line(section: &Section, title: &str) -> String {
    let sum = |part: &Part| format!("{} × {}", section.attempt.unwrap_or(part.count()), part.each);
    let sums: Vec<String> = section.parts.iter().map(sum).collect();
    format!("{title} ({} = {})", sums.join(" + "), section.marks())
}

fn question(filled: &Question, content: &Content, words: &Words) -> PaperQuestion {
    let id = format!("Q{:02}", filled.slot.no);
    let choice = filled.alternative.as_ref().map(|body| {
        let question = of_body(filled, body, format!("{id}-or"), content, words);
        Box::new(question)
    });
    PaperQuestion { choice, ..of_body(filled, &filled.body, id, content, words) }
}

fn of_body(filled: &Question, body: &Body, id: String, content: &Content, words: &Words) -> PaperQuestion {
    let pair = |(left, right): (&(String, String), &usize)| PaperPair {
        left: left.0.clone(),
        right: body.pairs[*right].1.clone(),
    };
    let piece = |(at, part): (usize, &crate::content::PartText)| PaperPiece {
        marker: marker(at, part.marks),
        text: part.text.clone(),
        marks: part.marks,
    };
    let point =
        |point: &Point| PaperPoint { point: point.text.clone(), marks: f64::from(point.half_marks) / 2.0 };
    let check = body.proofs.first().and_then(|(expression, _)| {
        Some(PaperCheck { expression: expression.clone(), value: evaluate(expression)? })
    });
    PaperQuestion {
        no: filled.slot.no,
        id,
        text: body.text.clone(),
        options: body.options.clone(),
        pairs: body.pairs.iter().zip(&body.shuffled).map(pair).collect(),
        parts: body.parts.iter().enumerate().map(piece).collect(),
        choice: None,
        marks: filled.slot.marks,
        subtopic: blueprint::name(body.subtopic, &content.subtopics, words),
        bloom: match body.level {
            Level::Recall => "understand",
            Level::Apply => "apply",
            Level::Reason => "analyse",
        },
        difficulty: match filled.slot.difficulty {
            Difficulty::Easy => "easy",
            Difficulty::Average => "average",
            Difficulty::Difficult => "difficult",
        },
        answer: body.answer.clone(),
        key: body.right_option.map(letter),
        scheme: body.scheme.iter().map(point).collect(),
        check,
    }
}

/// `(i)` for a part with marks, `I.` for a statement.
fn marker(at: usize, marks: u32) -> String {
    let roman = crate::bank::roman(at + 1);
    if marks > 0 { format!("({roman})") } else { format!("{}.", roman.to_uppercase()) }
}

/// The letter of an option or of a row.
pub(crate) fn letter(at: usize) -> char {
    char::from(b'a' + u8::try_from(at).unwrap_or(0))
}
