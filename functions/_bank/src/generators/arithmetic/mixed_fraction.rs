//! A mixed fraction as an improper one.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Rational, gcd};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "mixed-fraction",
    family: Family::Mathematics,
    classes: 6..=6,
    marks: 1..=2,
    topics: &["fraction"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let b = draw.between(3, 5 + 2 * draw.level());
    let (whole, rest) = (draw.between(2, 3 + 2 * draw.level()), draw.between(1, b - 1));
    if gcd(rest, b) > 1 {
        return None;
    }
    let above = whole * b + rest;
    let draft = Draft::new(Answer::number(Rational::new(above, b)))
        .place("mixed", format!("{whole} {rest}/{b}"))
        .step(1, format!("{whole} × {b} + {rest} = {above}"))
        .step(1, format!("({whole} × {b} + {rest})/{b} = {above}/{b}"))
        .wrong_numbers(&[
            ("whole-added-to-the-numerator", Rational::new(whole + rest, b)),
            ("whole-times-the-numerator", Rational::new(whole * rest, b)),
            ("numerator-times-the-denominator", Rational::new(whole + b * rest, b)),
            ("whole-put-before-the-numerator", Rational::new(10 * whole + rest, b)),
        ])
        .proof(format!("{above} − {rest}"), format!("{whole} × {b}"));
    Some(draft)
}
