//! The probability of a colour.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::Rational;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "probability-of-ball",
    family: Family::Mathematics,
    classes: 8..=10,
    marks: 1..=2,
    topics: &["probability", "mathematic maybe", "chance"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let high = 4 + 2 * draw.level();
    let (red, blue, green) = (draw.between(2, high), draw.between(2, high), draw.between(2, high));
    let n = red + blue + green;
    let draft = Draft::new(Answer::number(Rational::new(red, n)))
        .places(&[("red", red), ("blue", blue), ("green", green)])
        .step(1, format!("{red} + {blue} + {green} = {n}"))
        .step(1, format!("P = {red} ÷ {n} = {}", Rational::new(red, n)))
        .wrong_numbers(&[
            ("against-for-of", Rational::new(red, n - red)),
            ("complement", Rational::new(n - red, n)),
            ("one-of-all", Rational::new(1, n)),
            ("one-of-the-colours", Rational::new(1, 3)),
        ])
        .proof(format!("{} + {blue}/{n} + {green}/{n}", Rational::new(red, n)), 1);
    Some(draft)
}
