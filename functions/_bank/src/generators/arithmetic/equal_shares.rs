//! Things shared equally.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Rational, gcd};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "equal-shares",
    family: Family::Mathematics,
    classes: 6..=6,
    marks: 1..=2,
    topics: &["fraction"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (a, b) = (draw.between(2, 4 + 2 * draw.level()), draw.between(3, 5 + 2 * draw.level()));
    if a == b || gcd(a, b) > 1 {
        return None;
    }
    let draft = Draft::new(Answer::number(Rational::new(a, b)))
        .places(&[("a", a), ("b", b)])
        .step(1, format!("1 ÷ {b} = 1/{b}"))
        .step(1, format!("{a} × 1/{b} = {a}/{b}"))
        .wrong_numbers(&[
            ("upside-down", Rational::new(b, a)),
            ("share-of-one-thing", Rational::new(1, b)),
            ("things-and-persons-added", Rational::new(a, a + b)),
        ])
        .proof(format!("{b} × {a}/{b}"), a);
    Some(draft)
}
