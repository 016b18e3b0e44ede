//! The probability that an event does not happen.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "probability-of-complement",
    family: Family::Mathematics,
    classes: 9..=10,
    marks: 1..=1,
    topics: &["probability", "mathematic maybe", "chance"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let p = draw.between(1, 99);
    let decimal = |hundredths: i64| Number::decimal(Rational::new(hundredths, 100));
    let (happens, rest) = (decimal(p), decimal(100 - p));
    let draft = Draft::new(Answer::number(rest))
        .place("p", happens)
        .step(1, format!("P = 1 − {happens} = {rest}"))
        .wrong_numbers(&[
            ("same-for-the-complement", happens),
            ("one-tenth-not-carried", decimal(110 - p)),
            ("added-to-one", decimal(100 + p)),
            ("one-half-always", decimal(50)),
        ])
        .proof(format!("{happens} + {rest}"), 1);
    Some(draft)
}
