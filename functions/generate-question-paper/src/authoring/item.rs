use banyan_bank::arithmetic;
use banyan_bank::generators::Point;
use banyan_bank::parts::Check;
use banyan_functions::checks::{self as shared, Finding};
use banyan_functions::sanitise::visible_length;
use banyan_functions::seed::SeededRng;
use banyan_samples::Copies;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::checks;
use crate::content::{Body, PartText, Source, Topic};
use crate::plan::{Level, QuestionType, Slot};
use crate::request::PaperRequest;
use crate::shuffling::{Keys, matched};
use crate::words::Words;

/// A question that a model is asked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    /// Its slot.
    pub(super) slot: Slot,
    /// Marks of the parts, where it begins with a situation.
    pub(super) situation: &'static [u32],
    /// Whether it is the alternative of a choice.
    pub(super) alternative: bool,
}

/// A model's reply for one of them.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct ItemText {
    pub(super) id: String,
    pub(super) subtopic: String,
    text: String,
    options: Vec<String>,
    right: Option<usize>,
    truth: Option<bool>,
    pairs: Vec<Pair>,
    parts: Vec<String>,
    answer: String,
    points: Vec<String>,
    check: Option<Check>,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
struct Pair {
    left: String,
    right: String,
}

impl ItemText {
    /// Returns whether it repeats a sample.
    pub(super) fn repeats(&self, copies: &Copies) -> bool {
        let pairs = self.pairs.iter().flat_map(|pair| [&pair.left, &pair.right]);
        let lists = [&self.options, &self.parts, &self.points].into_iter().flatten();
        [&self.text, &self.answer].into_iter().chain(lists).chain(pairs).any(|text| copies.hold(text))
    }
}

impl Wanted {
    /// `Q07`, for an alternative `Q07-or`.
    pub(super) fn id(&self) -> String {
        format!("Q{:02}{}", self.slot.no, if self.alternative { "-or" } else { "" })
    }

    /// The slot as a model is shown it.
    pub(super) fn shown(&self) -> Value {
        let Slot { kind, marks, level, difficulty, .. } = self.slot;
        let bloom = match level {
            Level::Recall => "remember or understand",
            Level::Apply => "apply",
            Level::Reason => "analyse, evaluate or create",
        };
        let mut shown = json!({
            "id": self.id(), "type": kind, "marks": marks, "bloom": bloom,
            "difficulty": format!("{difficulty:?}").to_lowercase(),
        });
        match kind {
            QuestionType::Fill => shown["blanks"] = json!(marks),
            QuestionType::Match => shown["pairs"] = json!(marks),
            _ if !self.situation.is_empty() => shown["parts"] = json!(self.situation),
            _ => {}
        }
        shown
    }
}

impl ItemText {
    /// The question in the order in which the model wrote it; what is missing is said for the
    /// model.
    pub(super) fn body(&self, wanted: &Wanted, words: &Words) -> Result<Body, Finding> {
        let missing = |problem: &str| Finding::new("V02", format!("{}: {problem}", wanted.id()));
        let Slot { kind, marks, level, .. } = wanted.slot;
        if self.text.is_empty() && kind != QuestionType::Match {
            return Err(missing("text is empty"));
        }
        let mut body = Body {
            text: self.text.clone(),
            options: Vec::new(),
            right_option: None,
            pairs: Vec::new(),
            shuffled: Vec::new(),
            parts: Vec::new(),
            answer: self.answer.clone(),
            scheme: scheme(std::slice::from_ref(&self.answer), marks),
            subtopic: Topic::Whole,
            level,
            proofs: Vec::new(),
            source: Source::Model,
        };
        match kind {
            QuestionType::Mcq => {
                let right = self.right.and_then(|at| self.options.get(at));
                body.answer = right.ok_or_else(|| missing("right must name one of four options"))?.clone();
                let reason = if self.answer.is_empty() { &body.answer } else { &self.answer };
                body.scheme = scheme(std::slice::from_ref(reason), marks);
                (body.options, body.right_option) = (self.options.clone(), self.right);
            }
            QuestionType::Fill => {
                if self.points.len() != marks as usize || self.points.iter().any(|point| point.is_empty()) {
                    return Err(missing("points must hold one answer for each blank"));
                }
                (body.answer, body.scheme) = (self.points.join("; "), scheme(&self.points, marks));
            }
            QuestionType::TrueFalse => {
                let truth = self.truth.ok_or_else(|| missing("truth must be true or false"))?;
                if !truth && self.answer.is_empty() {
                    return Err(missing("answer must be the correction"));
                }
                self.judged(&mut body, truth, marks, words);
            }
            QuestionType::Match => {
                body.pairs = self.pairs.iter().map(|pair| (pair.left.clone(), pair.right.clone())).collect();
                body.text = words.number("match", &[]);
            }
            _ => self.written(&mut body, wanted).map_err(missing)?,
        }
        Ok(body)
    }

    fn judged(&self, body: &mut Body, truth: bool, marks: u32, words: &Words) {
        let word = words.number(if truth { "true" } else { "false" }, &[]);
        let reason = match (truth, self.answer.is_empty()) {
            (_, true) => words.number("reason", &[]),
            _ => self.answer.clone(),
        };
        body.answer = match truth {
            true => word.clone(),
            false => words.number("falseBecause", &[("false", &word), ("right", &reason)]),
        };
        body.scheme = match marks {
            1 => scheme(std::slice::from_ref(&body.answer), 1),
            marks => scheme(&[word, reason], marks),
        };
        if marks > 1 {
            body.text = words.number("judge", &[("statement", &self.text)]);
        }
    }

    fn written(&self, body: &mut Body, wanted: &Wanted) -> Result<(), &'static str> {
        if self.answer.is_empty() || self.points.iter().all(String::is_empty) {
            return Err("answer and points must not be empty");
        }
        if wanted.situation.is_empty() {
            body.scheme = scheme(&self.points, wanted.slot.marks);
            return Ok(());
        }
        if self.parts.len() != wanted.situation.len() || self.points.len() != self.parts.len() {
            return Err("parts and points must have as many entries as the slot has parts");
        }
        let part = |(text, marks): (&String, &u32)| PartText { text: text.clone(), marks: *marks };
        body.parts = self.parts.iter().zip(wanted.situation).map(part).collect();
        let point = |(text, marks): (&String, &u32)| Point { text: text.clone(), half_marks: marks * 2 };
        body.scheme = self.points.iter().zip(wanted.situation).map(point).collect();
        Ok(())
    }

    /// Problems of the question; none means that it can be printed.
    pub(super) fn findings(&self, wanted: &Wanted, request: &PaperRequest, words: &Words) -> Vec<Finding> {
        let mut body = match self.body(wanted, words) {
            Ok(body) => body,
            Err(finding) => return vec![finding],
        };
        let mut findings = Vec::new();
        // The order of the second column is ours.
        body.shuffled = (1..body.pairs.len()).chain(0..body.pairs.len().min(1)).collect();
        findings.extend(checks::one(&wanted.slot, &body, request.language));
        let sum = self.check.as_ref().and_then(|check| arithmetic::check_one(check, &body.answer));
        findings.extend(sum.map(|problem| Finding::new("V14", format!("{}: {problem}", wanted.id()))));
        if body.texts().any(tells_marks) {
            findings.push(Finding::new("V04", format!("{}: marks are not part of the text", wanted.id())));
        }
        if body.texts().any(tells_answer) {
            findings.push(Finding::new(
                "V21",
                format!("{}: the answer must not stand in the question", wanted.id()),
            ));
        }
        if is_too_long(&body, wanted.slot.marks) {
            findings.push(Finding::new("V22", format!("{}: far too long for its marks", wanted.id())));
        }
        let texts: Vec<&str> = body.all_texts().collect();
        let common = shared::common(&texts, &request.typed(), request.language).into_iter();
        findings.extend(
            common.map(|found| Finding::new(found.id, format!("{}: {}", wanted.id(), found.problem))),
        );
        findings.retain(Finding::blocks);
        findings
    }

    /// The question as it is printed: options and pairs in the order of the seed.
    pub(super) fn placed(
        &self,
        wanted: &Wanted,
        words: &Words,
        keys: &mut Keys,
        rng: &mut SeededRng,
    ) -> Option<Body> {
        let mut body = self.body(wanted, words).ok()?;
        if let Some(at) = body.right_option {
            let mut wrong = std::mem::take(&mut body.options);
            let right = wrong.remove(at);
            let (options, at) = keys.place(rng, right, wrong);
            (body.options, body.right_option) = (options, Some(at));
        }
        if !body.pairs.is_empty() {
            let (shuffled, key) = matched(rng, body.pairs.len());
            body.scheme = scheme(std::slice::from_ref(&key), wanted.slot.marks);
            (body.shuffled, body.answer) = (shuffled, key);
        }
        if let Some(check) = &self.check {
            body.proofs.push((check.expression.clone(), check.value.to_string()));
        }
        Some(body)
    }
}

/// Returns whether a text states its marks in brackets, which only the plan decides: `[5]`,
/// `(10 marks)`, `[3 अंक]`.
fn tells_marks(text: &str) -> bool {
    const MARKS: [&str; 6] = ["", "mark", "marks", "अंक", "गुण", "ગુણ"];
    let worth = |(at, open): (usize, &str)| {
        let stands_alone = text[..at].chars().next_back().is_none_or(char::is_whitespace);
        let inner = text[at + 1..].split([']', ')']).next().unwrap_or_default().trim().to_lowercase();
        let unit = inner.trim_start_matches(char::is_numeric);
        let is_number = unit.len() < inner.len();
        // (5) alone may be the number of an equation.
        let names_marks = MARKS.contains(&unit.trim()) && (open == "[" || !unit.is_empty());
        stands_alone && is_number && names_marks
    };
    text.match_indices(['[', '(']).any(worth)
}

/// Whether a text names its own answer.
fn tells_answer(text: &str) -> bool {
    let text = text.to_lowercase();
    ["(correct", "(right answer", "answer:", "ans:", "ans.:", "(true)", "(false)", "उत्तर:", "उत्तर :", "જવાબ:"]
        .iter()
        .any(|sign| text.contains(sign))
}

/// V22: whether a text is longer than a page has room for: a question with its data, an entry of a
/// list, a point of the key.
fn is_too_long(body: &Body, marks: u32) -> bool {
    let (question, entry, point) = (600 + 60 * marks as usize, 200, 240 + 60 * marks as usize);
    let longer = |text: &str, most: usize| visible_length(text) > most;
    let mut entries = body.options.iter().chain(body.pairs.iter().flat_map(|(left, right)| [left, right]));
    longer(&body.text, question)
        || entries.any(|text| longer(text, entry))
        || body.parts.iter().any(|part| longer(&part.text, question))
        || longer(&body.answer, point)
        || body.scheme.iter().any(|step| longer(&step.text, point))
}

/// Marks dealt over the points in halves, so that they add up whatever was written (V06); the last
/// of equals gets more, since the answer stands there. Points beyond half a mark each join their
/// neighbours.
fn scheme(points: &[String], marks: u32) -> Vec<Point> {
    let mut texts: Vec<String> = points.iter().filter(|point| !point.is_empty()).cloned().collect();
    while texts.len() > (marks * 2) as usize {
        let first = texts.remove(0);
        texts[0] = format!("{first}; {}", texts[0]);
    }
    let count = u32::try_from(texts.len()).unwrap_or(1).max(1);
    let (each, rest) = (marks * 2 / count, marks * 2 % count);
    let point = |(at, text): (u32, String)| Point { text, half_marks: each + u32::from(at >= count - rest) };
    (0..).zip(texts).map(point).collect()
}

#[cfg(test)]
mod tests {
    use banyan_samples::{Line, SampleKind, SampleText};

    use super::*;

    // rows: GEN-5.3.6 V16
    #[test]
    fn a_copy_in_an_option_or_a_pair_is_noticed() {
        let text = "A lamp that hangs over the long table of a workshop".to_owned();
        let lines = vec![Line { text: text.clone(), heading: None, is_numbered: false }];
        let sample = SampleText { kind: SampleKind::Docx, pages: 1, lines, is_cut: false };
        let copies = Copies::of(Some(&sample));
        let option = ItemText { options: vec!["A lamp".to_owned(), text.clone()], ..ItemText::default() };
        let pair = Pair { left: "lamp".to_owned(), right: text };
        let pairs = ItemText { pairs: vec![pair], ..ItemText::default() };
        assert!(option.repeats(&copies) && pairs.repeats(&copies));
        assert!(!ItemText::default().repeats(&copies));
    }

    // rows: V06
    #[test]
    fn marks_are_dealt_over_any_number_of_points() {
        let halves = |points: usize, marks: u32| {
            let points: Vec<String> = (0..points).map(|at| format!("p{at}")).collect();
            scheme(&points, marks).iter().map(|point| point.half_marks).collect::<Vec<_>>()
        };
        assert_eq!(halves(1, 3), [6]);
        assert_eq!(halves(4, 3), [1, 1, 2, 2]);
        assert_eq!(halves(5, 5), [2; 5]);
        assert_eq!(halves(9, 2), [1; 4]);
        for (points, marks) in (1..12).flat_map(|points| (1..=10).map(move |marks| (points, marks))) {
            assert_eq!(halves(points, marks).iter().sum::<u32>(), marks * 2);
        }
    }
}
