use banyan_bank::generators::Point;

use super::general::{in_one_line, is_written, level, plain, whole};
use super::supply::Supply;
use crate::content::{Body, PartText, Topic};
use crate::plan::{Level, QuestionType, Slot};

/// A question or a part of one.
struct Piece {
    text: String,
    marks: u32,
    answer: String,
    scheme: Vec<Point>,
    topic: Topic,
    level: Level,
    proofs: Vec<(String, String)>,
}

/// What a piece can be made of.
#[derive(Clone, Copy, PartialEq)]
enum Matter {
    /// A problem worked out by rule.
    Problem,
    /// A fact asked for.
    Fact,
    /// A term to be explained.
    Term,
    /// A common error to be judged.
    Error,
    /// A question of the pack's lessons.
    Question,
    /// One of them with a sum.
    Sum,
    /// What there is to say of a sub-topic.
    Subtopic,
}

/// A question of one piece, or of parts that add up to its marks.
pub(super) fn written(supply: &mut Supply<'_>, slot: &Slot, situation: &[u32]) -> Option<Body> {
    let saved = supply.saved();
    let matters = matters(slot);
    if !situation.is_empty() {
        let pieces = situation.iter().map(|marks| exactly(supply, slot, &matters, *marks));
        if let Some(pieces) = pieces.collect::<Option<Vec<Piece>>>() {
            let text = supply.words.number("situation", &[("chapter", &supply.request.chapter)]);
            return Some(joined(text, pieces));
        }
        supply.restore(saved);
        return None;
    }
    of_matters(supply, slot, &matters)
}

/// Tasks about single sub-topics, for what is answered in sentences.
pub(super) fn about_a_subtopic(supply: &mut Supply<'_>, slot: &Slot) -> Option<Body> {
    is_written(slot).then(|| of_matters(supply, slot, &[Matter::Subtopic]))?
}

/// A question as [`written`], of the same kind of work as another.
pub(super) fn like(supply: &mut Supply<'_>, slot: &Slot, body: &Body) -> Option<Body> {
    let matters: Vec<Matter> = match body.is_calculation() {
        true => vec![Matter::Problem, Matter::Sum],
        false => matters(slot).into_iter().filter(|matter| *matter != Matter::Problem).collect(),
    };
    let other = of_matters(supply, slot, &matters);
    other.or_else(|| (!body.is_calculation()).then(|| about_a_subtopic(supply, slot))?)
}

fn of_matters(supply: &mut Supply<'_>, slot: &Slot, matters: &[Matter]) -> Option<Body> {
    let saved = supply.saved();
    // Large pieces first; with smaller ones a rest is met that no large one leaves room for.
    for most in (1..=slot.marks).rev() {
        if let Some(pieces) = compose(supply, slot, matters, most) {
            let text = supply.words.number("parts", &[]);
            return Some(joined(text, pieces));
        }
        supply.restore(saved.clone());
    }
    None
}

fn matters(slot: &Slot) -> Vec<Matter> {
    use Matter::{Error, Fact, Problem, Question, Sum, Term};
    match (slot.kind, slot.level) {
        (QuestionType::Numerical, _) => vec![Problem, Sum],
        (_, Level::Recall) => vec![Fact, Term, Question, Problem, Error],
        (_, Level::Apply) => vec![Problem, Question, Fact, Term, Error],
        (_, Level::Reason) => vec![Error, Problem, Question, Term, Fact],
    }
}

/// Pieces of at most `most` marks that add up to the marks of the slot, of one matter after the other.
fn compose(supply: &mut Supply<'_>, slot: &Slot, matters: &[Matter], most: u32) -> Option<Vec<Piece>> {
    let (mut pieces, mut left, mut turn) = (Vec::new(), slot.marks, 0);
    while left > 0 {
        let next = (0..matters.len()).find_map(|step| {
            let at = (turn + step) % matters.len();
            Some((at, piece(supply, slot, matters[at], left.min(most))?))
        });
        let (at, piece) = next?;
        turn = at + 1;
        left -= piece.marks;
        pieces.push(piece);
    }
    Some(pieces)
}

fn exactly(supply: &mut Supply<'_>, slot: &Slot, matters: &[Matter], marks: u32) -> Option<Piece> {
    matters.iter().find_map(|matter| {
        let saved = supply.saved();
        let piece = piece(supply, slot, *matter, marks).filter(|piece| piece.marks == marks);
        if piece.is_none() {
            supply.restore(saved);
        }
        piece
    })
}

/// A piece of at most so many marks.
fn piece(supply: &mut Supply<'_>, slot: &Slot, matter: Matter, most: u32) -> Option<Piece> {
    match matter {
        Matter::Problem => problem(supply, slot, most),
        Matter::Fact => fact(supply),
        Matter::Term => term(supply, most),
        Matter::Error => error(supply, most),
        Matter::Question => question(supply, most, false),
        Matter::Sum => question(supply, most, true),
        Matter::Subtopic => subtopic(supply, most),
    }
}

fn problem(supply: &mut Supply<'_>, slot: &Slot, most: u32) -> Option<Piece> {
    let marks = supply.problem_marks(most)?;
    let item = supply.problem(Some(marks), slot.difficulty)?;
    let scheme = item.scheme(u8::try_from(marks).unwrap_or(1));
    Some(Piece {
        text: item.question,
        marks,
        answer: item.answer,
        scheme,
        topic: Topic::Numbers,
        level: Level::Apply,
        proofs: item.proofs,
    })
}

/// A task about a sub-topic for as many points as the pack knows of it.
fn subtopic(supply: &mut Supply<'_>, most: u32) -> Option<Piece> {
    let most = most as usize;
    let mut task = |points: usize, is_quiz: bool| supply.task_of_a_subtopic(points, is_quiz);
    // A page of quizzes to be made is no test of the chapter, so that they come last.
    let told = (most.min(2)..=most).rev().find_map(|points| task(points, false));
    let quiz = told.or_else(|| (1..=most).rev().find_map(|points| task(points, true)));
    let (asked, topic) = quiz.or_else(|| task(1, false))?;
    let points = asked.answers.len();
    let scheme: Vec<Point> = asked.answers.iter().flat_map(|answer| whole(answer, 1)).collect();
    Some(Piece {
        text: asked.task.asking(supply.title(topic), points),
        marks: u32::try_from(points).unwrap_or(u32::MAX),
        answer: in_one_line(&scheme),
        scheme,
        topic,
        level: level(asked.task.mind),
        proofs: Vec::new(),
    })
}

fn simple(text: String, marks: u32, answer: &str, topic: Topic, level: Level) -> Piece {
    let (answer, scheme) = (answer.to_owned(), whole(answer, marks));
    Piece { text, marks, answer, scheme, topic, level, proofs: Vec::new() }
}

fn fact(supply: &mut Supply<'_>) -> Option<Piece> {
    let fact = supply.fact(1, |_| true)?;
    Some(simple(fact.q.clone(), 1, &fact.a, Topic::Subtopic(fact.subtopic - 1), Level::Recall))
}

/// The meaning for one mark, with an example for two.
fn term(supply: &mut Supply<'_>, most: u32) -> Option<Piece> {
    let term = supply.term()?;
    let topic = supply.topic_of(term);
    let places = [("term", term.term.as_str())];
    if most < 2 {
        let text = supply.words.fact("meaning", &places);
        return Some(simple(text, 1, &term.meaning, topic, Level::Recall));
    }
    let text = supply.words.fact("explainTerm", &places);
    let example = supply.words.fact("example", &[]);
    let scheme = [whole(&term.meaning, 1), whole(&example, 1)].concat();
    let answer = format!("{}; {example}", term.meaning);
    Some(Piece { text, marks: 2, answer, scheme, topic, level: Level::Recall, proofs: Vec::new() })
}

fn error(supply: &mut Supply<'_>, most: u32) -> Option<Piece> {
    if most < 2 {
        return None;
    }
    let error = supply.misconception()?;
    let text = supply.words.fact("pupilSays", &[("wrong", &error.wrong)]);
    let no = supply.words.fact("notRight", &[]);
    let scheme = [whole(&no, 1), whole(&error.right, 1)].concat();
    let answer = format!("{no}: {}", error.right);
    Some(Piece {
        text,
        marks: 2,
        answer,
        scheme,
        topic: Topic::Whole,
        level: Level::Reason,
        proofs: Vec::new(),
    })
}

/// A question of a lesson is worth one mark, with a sum or two points two.
fn question(supply: &mut Supply<'_>, most: u32, with_sum: bool) -> Option<Piece> {
    let (topic, qa) = supply.question(most.min(2), with_sum)?;
    let points = points(&qa.a);
    let worth_two = most >= 2 && (qa.check.is_some() || points.len() > 1);
    let marks = if worth_two { 2 } else { 1 };
    let level = if qa.check.is_some() { Level::Apply } else { Level::Recall };
    let mut piece = simple(qa.q.clone(), marks, &qa.a, topic, level);
    if worth_two && (2..=4).contains(&points.len()) {
        piece.scheme = dealt(&points, marks * 2);
    }
    if let Some(check) = qa.check {
        piece.proofs.push((check.expression, check.value.to_string()));
    }
    Some(piece)
}

/// Half marks dealt over the points of an answer; the last ones get more.
fn dealt(points: &[&str], halves: u32) -> Vec<Point> {
    let count = u32::try_from(points.len()).unwrap_or(1);
    let (each, rest) = (halves / count, halves % count);
    let point = |(at, text): (u32, &&str)| Point {
        text: (*text).to_owned(),
        half_marks: each + u32::from(at >= count - rest),
    };
    (0..).zip(points).map(point).collect()
}

/// The points of an answer.
pub(super) fn points(answer: &str) -> Vec<&str> {
    answer.split("; ").filter(|point| !point.trim().is_empty()).collect()
}

/// One piece is the question; several are its parts.
fn joined(text: String, mut pieces: Vec<Piece>) -> Body {
    if pieces.len() == 1
        && let Some(piece) = pieces.pop()
    {
        let body = plain(piece.text, piece.answer, piece.scheme, piece.topic, piece.level);
        return Body { proofs: piece.proofs, ..body };
    }
    let marks_at = |level: Level| -> u32 {
        pieces.iter().filter(|piece| piece.level == level).map(|piece| piece.marks).sum()
    };
    let level = Level::ALL.into_iter().max_by_key(|level| marks_at(*level)).unwrap_or(Level::Recall);
    let topic = pieces.first().map_or(Topic::Whole, |piece| piece.topic);
    let mut body = plain(text, String::new(), Vec::new(), topic, level);
    for (no, piece) in (1..).zip(pieces) {
        let marker = format!("({})", roman(no));
        let separator = if body.answer.is_empty() { "" } else { " " };
        body.answer = format!("{}{separator}{marker} {}", body.answer, piece.answer);
        body.parts.push(PartText { text: piece.text, marks: piece.marks });
        for (at, point) in piece.scheme.into_iter().enumerate() {
            let text = if at == 0 { format!("{marker} {}", point.text) } else { point.text };
            body.scheme.push(Point { text, ..point });
        }
        body.proofs.extend(piece.proofs);
    }
    body
}

/// A small Roman number.
pub(crate) fn roman(number: usize) -> String {
    const DIGITS: [(usize, &str); 5] = [(10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")];
    let (mut rest, mut text) = (number, String::new());
    for (value, digit) in DIGITS {
        while rest >= value {
            text.push_str(digit);
            rest -= value;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_counted_in_roman_numbers() {
        assert_eq!([1, 4, 9, 10, 14].map(roman), ["i", "iv", "ix", "x", "xiv"]);
    }
}
