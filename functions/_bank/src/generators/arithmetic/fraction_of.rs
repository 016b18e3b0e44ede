//! A fraction of a quantity.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::gcd;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "fraction-of",
    family: Family::Mathematics,
    classes: 7..=7,
    marks: 1..=2,
    topics: &["fraction"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let b = draw.between(3, 5 + 2 * draw.level());
    let (a, part) = (draw.between(2, b - 1), draw.between(3, 10 * draw.level()));
    if gcd(a, b) > 1 {
        return None;
    }
    let (n, value) = (b * part, a * part);
    let draft = Draft::new(Answer::number(value))
        .places(&[("a", a), ("b", b), ("n", n)])
        .step(1, format!("{n} ÷ {b} = {part}"))
        .step(1, format!("{a} × {part} = {value}"))
        .wrong_numbers(&[
            ("one-part-only", part),
            ("rest-for-part", n - value),
            ("numerator-taken-off", n - a),
            ("not-divided", n * a),
        ])
        .proof(format!("{value} ÷ {n}"), format!("{a}/{b}"));
    Some(draft)
}
