use banyan_bank::generators::Point;

use super::general::{in_one_line, is_written, level, plain, whole};
use super::supply::{Answered, Supply, points};
use crate::content::{Body, PartText, Source, Topic};
use crate::plan::{Level, QuestionType, Slot};

/// The fewest words of a meaning's part that is worth a mark of its own.
const POINT: usize = 4;

/// A question or a part of one.
struct Piece {
    text: String,
    marks: u32,
    answer: String,
    scheme: Vec<Point>,
    topic: Topic,
    level: Level,
    proofs: Vec<(String, String)>,
    source: Source,
}

/// Material of a piece.
#[derive(Clone, Copy, PartialEq)]
enum Matter {
    /// A problem worked out by rule.
    Problem,
    /// A fact asked for.
    Fact,
    /// A term to be explained.
    Term,
    /// A statement whose mistake is to be found.
    Mistake,
    /// A statement that may be right.
    Judgement,
    /// Rules of safety.
    Safety,
    /// A question of the pack's lessons.
    Question,
    /// One of them with a sum.
    Sum,
    /// Facts about a sub-topic.
    Subtopic,
    /// Facts about the chapter.
    Chapter,
}

/// A question of one piece, or of parts that add up to its marks.
pub(super) fn written(supply: &mut Supply<'_>, slot: &Slot, situation: &[u32]) -> Option<Body> {
    let saved = supply.saved();
    let matters = matters(supply, slot);
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

/// Tasks about the whole chapter that the pack answers, for the same.
pub(super) fn about_the_whole(supply: &mut Supply<'_>, slot: &Slot) -> Option<Body> {
    is_written(slot).then(|| of_matters(supply, slot, &[Matter::Chapter]))?
}

/// The rest of all parts with an answer, for the same.
pub(super) fn of_what_is_left(supply: &mut Supply<'_>, slot: &Slot) -> Option<Body> {
    let all = [matters(supply, slot), vec![Matter::Subtopic, Matter::Chapter]].concat();
    is_written(slot).then(|| of_matters(supply, slot, &all))?
}

/// A question as [`written`], of the same kind of work as another.
pub(super) fn like(supply: &mut Supply<'_>, slot: &Slot, body: &Body) -> Option<Body> {
    let matters: Vec<Matter> = match body.is_calculation() {
        true => vec![Matter::Problem, Matter::Sum],
        false => matters(supply, slot).into_iter().filter(|matter| *matter != Matter::Problem).collect(),
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

fn matters(supply: &Supply<'_>, slot: &Slot) -> Vec<Matter> {
    use Matter::{Fact, Judgement, Mistake, Problem, Question, Safety, Sum, Term};
    match (slot.kind, slot.level) {
        (QuestionType::Numerical, _) => vec![Problem, Sum],
        (_, Level::Recall) if supply.is_turn_of_mistakes() => {
            vec![Mistake, Fact, Term, Question, Problem, Judgement, Safety]
        }
        (_, Level::Recall) => vec![Fact, Term, Question, Problem, Mistake, Judgement, Safety],
        (_, Level::Apply) => vec![Problem, Question, Mistake, Fact, Term, Judgement, Safety],
        (_, Level::Reason) => vec![Judgement, Problem, Question, Mistake, Term, Fact, Safety],
    }
}

/// Pieces of at most `most` marks that add up to the marks of the slot, of one matter after the
/// other.
fn compose(supply: &mut Supply<'_>, slot: &Slot, matters: &[Matter], most: u32) -> Option<Vec<Piece>> {
    let (mut pieces, mut left, mut turn): (Vec<Piece>, u32, usize) = (Vec::new(), slot.marks, 0);
    while left > 0 {
        let next = (0..matters.len()).find_map(|step| {
            let at = (turn + step) % matters.len();
            // Only what stands beside others can be like one of them, and be given back.
            let saved = (slot.kind != QuestionType::Numerical && !pieces.is_empty()).then(|| supply.saved());
            let piece = piece(supply, slot, matters[at], left.min(most))?;
            match saved.filter(|_| pieces.iter().any(|other| is_like(other, &piece))) {
                Some(saved) => {
                    supply.restore(saved);
                    None
                }
                None => Some((at, piece)),
            }
        });
        let (at, piece) = next?;
        turn = at + 1;
        left -= piece.marks;
        pieces.push(piece);
    }
    Some(pieces)
}

/// Returns whether two pieces are one sum with different numbers.
fn is_like(one: &Piece, other: &Piece) -> bool {
    let shape = |piece: &Piece| -> Vec<String> {
        piece
            .text
            .split(|c: char| c.is_ascii_digit())
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect()
    };
    one.text.contains(|c: char| c.is_ascii_digit()) && shape(one) == shape(other)
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
        Matter::Mistake => mistake(supply, most),
        Matter::Judgement => judgement(supply, most),
        Matter::Safety => safety(supply, most),
        Matter::Question => question(supply, most, false),
        Matter::Sum => question(supply, most, true),
        Matter::Subtopic => subtopic(supply, most),
        Matter::Chapter => chapter(supply, most),
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
        source: Source::Chapter,
    })
}

/// A task about a sub-topic for as many points as the pack knows of it; one for a single point is
/// the last resort.
fn subtopic(supply: &mut Supply<'_>, most: u32) -> Option<Piece> {
    let most = most as usize;
    let mut points = (2..=most).rev().chain([1]);
    let (asked, topic) = points.find_map(|points| supply.task_of_a_subtopic(points))?;
    Some(of_task(supply, &asked, topic, Source::Subtopic))
}

/// The same about the whole chapter.
fn chapter(supply: &mut Supply<'_>, most: u32) -> Option<Piece> {
    let asked = (2..=most as usize).rev().find_map(|points| supply.answered_task(points))?;
    Some(of_task(supply, &asked, Topic::Whole, Source::General))
}

fn of_task(supply: &Supply<'_>, asked: &Answered<'_>, topic: Topic, source: Source) -> Piece {
    let points = asked.answers.len();
    let scheme: Vec<Point> = asked.answers.iter().flat_map(|answer| whole(answer, 1)).collect();
    Piece {
        text: asked.task.asking(supply.title(topic), points),
        marks: u32::try_from(points).unwrap_or(u32::MAX),
        answer: in_one_line(&scheme),
        scheme,
        topic,
        level: level(asked.task.mind),
        proofs: Vec::new(),
        source,
    }
}

/// A question of the pack, or about a part of it: all marks are for the one point of the answer.
fn simple(text: String, marks: u32, answer: &str, topic: Topic, level: Level) -> Piece {
    let scheme = whole(answer, marks);
    Piece { answer: answer.to_owned(), ..of_points(text, scheme, topic, level) }
}

/// A piece with a mark or more for each of several points.
fn of_points(text: String, scheme: Vec<Point>, topic: Topic, level: Level) -> Piece {
    let halves: u32 = scheme.iter().map(|point| point.half_marks).sum();
    let (marks, answer) = (halves / 2, in_one_line(&scheme));
    Piece { text, marks, answer, scheme, topic, level, proofs: Vec::new(), source: Source::Chapter }
}

fn fact(supply: &mut Supply<'_>) -> Option<Piece> {
    let fact = supply.fact(1, |_| true)?;
    supply.add_asked_alone();
    Some(simple(fact.q.clone(), 1, &fact.a, Topic::Subtopic(fact.subtopic - 1), Level::Recall))
}

/// The meaning for one mark; for two where it has two points, or where a fact about the term can be
/// told beside it.
fn term(supply: &mut Supply<'_>, most: u32) -> Option<Piece> {
    let term = supply.term()?;
    let topic = supply.topic_of(term);
    let places = [("term", term.term.as_str())];
    let text = supply.words.fact("meaning", &places);
    let points = points(&term.meaning);
    let are_whole = points.iter().all(|point| point.split_whitespace().count() >= POINT);
    if most >= 2 && are_whole && (2..=4).contains(&points.len()) {
        return Some(of_points(text, dealt(&points, 4), topic, Level::Recall));
    }
    let fact = if most >= 2 { supply.fact_about(term) } else { None };
    let Some(fact) = fact else { return Some(simple(text, 1, &term.meaning, topic, Level::Recall)) };
    let text = supply.words.fact("explainTerm", &places);
    let scheme = [whole(&term.meaning, 1), whole(&fact.right, 1)].concat();
    Some(of_points(text, scheme, topic, Level::Recall))
}

/// A false statement: a mark for what is wrong in it, where that can be named, and another for what
/// is true.
fn mistake(supply: &mut Supply<'_>, most: u32) -> Option<Piece> {
    let named = if most >= 2 { supply.mistaken_fact() } else { None };
    let Some((fact, wrong)) = named else { return corrected(supply) };
    let text = supply.words.fact("findMistake", &[("wrong", &fact.wrong)]);
    let named = supply.words.fact("mistake", &[("wrong", &wrong)]);
    let scheme = [whole(&named, 1), whole(&fact.right, 1)].concat();
    Some(of_points(text, scheme, Topic::Subtopic(fact.subtopic - 1), Level::Recall))
}

/// A false statement whose mistake is no word of it: a mark for what is true.
fn corrected(supply: &mut Supply<'_>) -> Option<Piece> {
    let fact = supply.false_fact()?;
    let text = supply.words.fact("pupilsThink", &[("statement", &fact.wrong)]);
    Some(simple(text, 1, &fact.right, Topic::Subtopic(fact.subtopic - 1), Level::Recall))
}

/// A pupil's statement to be judged: common errors and true statements by turns, so that the answer
/// cannot be guessed.
fn judgement(supply: &mut Supply<'_>, most: u32) -> Option<Piece> {
    if !supply.is_turn_of_right() {
        let judged = error(supply, most, "pupilSays", Some("notRight"))?;
        supply.state().judgements[1] += 1;
        return Some(judged);
    }
    true_statement(supply).or_else(|| error(supply, most, "pupilsThink", None))
}

fn true_statement(supply: &mut Supply<'_>) -> Option<Piece> {
    let fact = supply.right_fact()?;
    let text = supply.words.fact("pupilSays", &[("statement", &fact.right)]);
    let yes = supply.words.fact("isRight", &[]);
    Some(simple(text, 1, &yes, Topic::Subtopic(fact.subtopic - 1), Level::Recall))
}

/// A common error: marks for what is right instead, one a point, and none for seeing that it is
/// wrong.
fn error(supply: &mut Supply<'_>, most: u32, asked: &str, answered: Option<&str>) -> Option<Piece> {
    let error = supply.misconception()?;
    let text = supply.words.fact(asked, &[("statement", &error.wrong)]);
    let right = answered.map_or_else(
        || error.right.clone(),
        |answered| supply.words.fact(answered, &[("right", &error.right)]),
    );
    let points = points(&right);
    if most >= 2 && points.len() == 2 && !supply.has_a_fact(&error.right) {
        return Some(of_points(text, dealt(&points, 4), Topic::Whole, Level::Reason));
    }
    Some(simple(text, 1, &right, Topic::Whole, Level::Reason))
}

/// Rules of safety for the practical work of the chapter, a mark each.
fn safety(supply: &mut Supply<'_>, most: u32) -> Option<Piece> {
    let rules = supply.rules_of_safety(most as usize)?;
    let text = supply.words.fact("safety", &[("n", &rules.len().to_string())]);
    let scheme = rules.iter().flat_map(|rule| whole(rule, 1)).collect();
    Some(of_points(text, scheme, Topic::Whole, Level::Recall))
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

/// One piece is the question; several are its parts.
fn joined(text: String, mut pieces: Vec<Piece>) -> Body {
    if pieces.len() == 1
        && let Some(piece) = pieces.pop()
    {
        let body = plain(piece.text, piece.answer, piece.scheme, piece.topic, piece.level);
        return Body { proofs: piece.proofs, source: piece.source, ..body };
    }
    let marks_at = |level: Level| -> u32 {
        pieces.iter().filter(|piece| piece.level == level).map(|piece| piece.marks).sum()
    };
    let level = Level::ALL.into_iter().max_by_key(|level| marks_at(*level)).unwrap_or(Level::Recall);
    let topic = pieces.first().map_or(Topic::Whole, |piece| piece.topic);
    let source = pieces.iter().map(|piece| piece.source).max().unwrap_or(Source::Chapter);
    let mut body = Body { source, ..plain(text, String::new(), Vec::new(), topic, level) };
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
