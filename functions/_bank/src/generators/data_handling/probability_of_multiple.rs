//! The probability of a multiple on a numbered card.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::Rational;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "probability-of-multiple",
    family: Family::Mathematics,
    classes: 9..=10,
    marks: 1..=2,
    topics: &["probability", "mathematic maybe", "chance"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (n, k) = (5 * draw.between(3, 4 + 2 * draw.level()), draw.between(3, 9));
    let count = n / k;
    let listed: Vec<String> = (1..=count).map(|at| (at * k).to_string()).collect();
    let draft = Draft::new(Answer::number(Rational::new(count, n)))
        .places(&[("n", n), ("k", k)])
        .step(1, format!("{}: {count}", listed.join(", ")))
        .step(1, format!("P = {count} ÷ {n} = {}", Rational::new(count, n)))
        .wrong_numbers(&[
            ("the-number-itself", Rational::new(k, n)),
            ("complement", Rational::new(n - count, n)),
            ("one-multiple-too-many", Rational::new(count + 1, n)),
            ("one-of-all", Rational::new(1, n)),
        ])
        .proof(format!("({}) × {n}", Rational::new(count, n)), listed.len());
    Some(draft)
}
