//! Products of decimals.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "decimal-product",
    family: Family::Mathematics,
    classes: 6..=7,
    marks: 1..=2,
    topics: &["decimal", "peek beyond point"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let places = draw.by_level(10, 10, 100);
    let (m, n) = (draw.between(11, 20 * draw.level() + 9), draw.between(2, 30 * draw.level()));
    if m % 10 == 0 || n % 10 == 0 {
        return None;
    }
    let (one, other) = (Rational::new(m, places), Rational::new(n, 10));
    let product = one * other;
    let (x, y) = (Number::decimal(one), Number::decimal(other));
    let moved = |by: Rational| Number::decimal(product * by);
    let draft = Draft::new(Answer::number(Number::decimal(product)))
        .place("x", x)
        .place("y", y)
        .step(1, format!("{m} × {n} = {}", m * n))
        .step(1, format!("{x} × {y} = {}", Number::decimal(product)))
        .wrong_numbers(&[
            ("point-one-place-right", moved(10.into())),
            ("point-one-place-left", moved(Rational::new(1, 10))),
            ("adds-instead", Number::decimal(one + other)),
            ("point-forgotten", Number::from(m * n)),
        ])
        .proof(Number::decimal(product), format!("{m} × {n} ÷ {}", places * 10));
    Some(draft)
}
