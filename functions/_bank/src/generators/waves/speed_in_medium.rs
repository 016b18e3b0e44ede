//! The speed of light in a medium.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "speed-in-medium",
    family: Family::Science,
    classes: 10..=10,
    marks: 1..=2,
    topics: &["light reflection"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let n = Rational::new(draw.one_of(&[120, 125, 150, 160, 200, 240, 250]), 100);
    let v = Rational::from(3) / n;
    let [index, speed] = [n, v].map(Number::decimal);
    let draft = Draft::new(Answer::quantity(speed, "× 10⁸ m/s"))
        .place("n", index)
        .step(1, "n = c/v; v = c/n")
        .step(1, format!("v = 3 × 10⁸ ÷ {index} = {speed} × 10⁸ m/s"))
        .wrong_numbers(&[
            ("multiplied-for-divided", Number::decimal(n * 3.into())),
            ("index-subtracted", Number::decimal(Rational::from(3) - n)),
            ("speed-in-vacuum", Number::from(3)),
            ("index-for-speed", index),
        ])
        .proof(format!("({speed}) × {index}"), 3);
    Some(draft)
}
