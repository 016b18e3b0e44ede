//! Fractions in lowest terms.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Rational, gcd};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "lowest-terms",
    family: Family::Mathematics,
    classes: 6..=6,
    marks: 1..=2,
    topics: &["fraction"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let b = draw.between(3, 5 + 2 * draw.level());
    let (a, k) = (draw.between(2, b - 1), draw.between(2, 5 * draw.level()));
    if gcd(a, b) > 1 {
        return None;
    }
    let (above, below) = (a * k, b * k);
    let draft = Draft::new(Answer::number(Rational::new(a, b)))
        .places(&[("above", above), ("below", below)])
        .step(1, format!("{above} ÷ {k} = {a}; {below} ÷ {k} = {b}"))
        .step(1, format!("{above}/{below} = {a}/{b}"))
        .wrong_numbers(&[
            ("same-number-subtracted", Rational::new(a - 1, b - 1)),
            ("numerator-alone-divided", Rational::new(a, below)),
            ("upside-down", Rational::new(b, a)),
            ("denominator-alone-divided", Rational::new(above, b)),
        ])
        .proof(format!("{above} × {b}"), format!("{below} × {a}"));
    Some(draft)
}
