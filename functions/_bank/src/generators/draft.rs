use std::fmt::Display;

use banyan_functions::seed::SeededRng;

use super::item::{Distractor, Item, Step};
use super::stems::Stems;
use crate::numbers::Number;

/// The answer to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// A number with its unit; the unit is empty for a bare number.
    Quantity(Number, &'static str),
    /// A point, or the solution of two equations.
    Pair(Number, Number),
    /// Two values in no order, such as the roots of an equation.
    Both(Number, Number),
    /// A power, a ratio or a chemical equation, as written.
    Notation(String),
}

impl Answer {
    /// A number without a unit.
    pub(super) fn number(number: impl Into<Number>) -> Self {
        Self::Quantity(number.into(), "")
    }

    /// A number with a unit; measures are written with a decimal point, never as a fraction.
    pub(super) fn quantity(number: impl Into<Number>, unit: &'static str) -> Self {
        let number = match number.into() {
            Number::Fraction(fraction) if !unit.is_empty() => Number::Decimal(fraction),
            other => other,
        };
        Self::Quantity(number, unit)
    }

    /// Returns whether two answers look the same.
    fn equals(&self, other: &Self) -> bool {
        let close = |a: &Number, b: &Number| (a.value() - b.value()).abs() < 1e-9;
        match (self, other) {
            (Self::Quantity(a, _), Self::Quantity(b, _)) => close(a, b),
            (Self::Both(a, b), Self::Both(c, d)) => {
                (close(a, c) && close(b, d)) || (close(a, d) && close(b, c))
            }
            _ => self == other,
        }
    }

    fn is_handy(&self) -> bool {
        match self {
            Self::Quantity(number, _) => number.is_handy(),
            Self::Pair(a, b) | Self::Both(a, b) => a.is_handy() && b.is_handy(),
            Self::Notation(text) => !text.is_empty(),
        }
    }

    /// A positive measure is never offered beside a negative one or none, whole days never beside
    /// parts.
    fn goes_with(&self, wrong: &Self) -> bool {
        match (self, wrong) {
            (Self::Quantity(right, unit), Self::Quantity(wrong, _)) => {
                let possible = unit.is_empty() || right.value() <= 0.0 || wrong.value() > 0.0;
                possible && (*unit != "days" || wrong.value().fract() == 0.0)
            }
            _ => true,
        }
    }
}

/// A question before it is put into words.
pub(super) struct Draft {
    variant: &'static str,
    places: Vec<(&'static str, String)>,
    answer: Answer,
    steps: Vec<Step>,
    wrong: Vec<(&'static str, Answer)>,
    proofs: Vec<(String, String)>,
}

impl Draft {
    pub(super) fn new(answer: Answer) -> Self {
        Self {
            variant: "",
            places: Vec::new(),
            answer,
            steps: Vec::new(),
            wrong: Vec::new(),
            proofs: Vec::new(),
        }
    }

    /// Number of the generator's question, if it has several.
    pub(super) fn asking(mut self, variant: &'static str) -> Self {
        self.variant = variant;
        self
    }

    /// A value for a place of the sentence.
    pub(super) fn place(mut self, name: &'static str, value: impl Display) -> Self {
        self.places.push((name, value.to_string()));
        self
    }

    /// Whole numbers for places of the sentence.
    pub(super) fn places(self, values: &[(&'static str, i64)]) -> Self {
        values.iter().fold(self, |draft, (name, value)| draft.place(name, Number::from(*value)))
    }

    /// A step of the solution and its weight among the others.
    pub(super) fn step(mut self, weight: u8, text: impl Into<String>) -> Self {
        self.steps.push(Step { text: text.into(), weight });
        self
    }

    /// A wrong answer and the error behind it. Ones that cannot be used are passed over.
    pub(super) fn wrong(mut self, misconception: &'static str, answer: Answer) -> Self {
        self.wrong.push((misconception, answer));
        self
    }

    /// Wrong numbers with the unit of the answer.
    pub(super) fn wrong_numbers<N: Into<Number> + Copy>(mut self, wrong: &[(&'static str, N)]) -> Self {
        let unit = if let Answer::Quantity(_, unit) = self.answer { unit } else { "" };
        for (misconception, number) in wrong {
            self.wrong.push((misconception, Answer::quantity(*number, unit)));
        }
        self
    }

    /// Two expressions that must have one value, reached by another way than the steps.
    pub(super) fn proof(mut self, one: impl Display, other: impl Display) -> Self {
        self.proofs.push((one.to_string(), other.to_string()));
        self
    }

    /// The draft with exactly three wrong answers, if it has so many and its numbers are handy.
    pub(super) fn accepted(mut self) -> Option<Self> {
        if !self.answer.is_handy() {
            return None;
        }
        let mut kept: Vec<(&'static str, Answer)> = Vec::new();
        for (misconception, wrong) in self.wrong.drain(..) {
            let usable = wrong.is_handy() && self.answer.goes_with(&wrong) && !self.answer.equals(&wrong);
            if usable && kept.len() < 3 && kept.iter().all(|(_, other)| !other.equals(&wrong)) {
                kept.push((misconception, wrong));
            }
        }
        self.wrong = kept;
        (self.wrong.len() == 3).then_some(self)
    }

    /// The draft in the words of a language.
    pub(super) fn into_item(self, id: &'static str, stems: &Stems, rng: &mut SeededRng) -> Option<Item> {
        let distractor = |(misconception, wrong): &(&'static str, Answer)| Distractor {
            text: stems.answer(wrong),
            misconception,
        };
        Some(Item {
            generator: id,
            question: stems.question(id, self.variant, &self.places, rng)?,
            answer: stems.answer(&self.answer),
            value: self.answer,
            distractors: self.wrong.iter().map(distractor).collect(),
            steps: self.steps,
            proofs: self.proofs,
        })
    }
}
