//! Division of a fraction by a fraction.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Rational, gcd};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "fraction-quotient",
    family: Family::Mathematics,
    classes: 7..=7,
    marks: 1..=3,
    topics: &["fraction"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (b, d) = (draw.between(2, 3 + 3 * draw.level()), draw.between(2, 3 + 3 * draw.level()));
    let (a, c) = (draw.between(1, b), draw.between(1, d));
    if gcd(a, b) > 1 || gcd(c, d) > 1 || (a, b) == (c, d) {
        return None;
    }
    let quotient = Rational::new(a, b) / Rational::new(c, d);
    let draft = Draft::new(Answer::number(quotient))
        .places(&[("a", a), ("b", b), ("c", c), ("d", d)])
        .step(1, format!("({a}/{b}) ÷ ({c}/{d}) = ({a}/{b}) × ({d}/{c})"))
        .step(1, format!("({a} × {d})/({b} × {c}) = {quotient}"))
        .wrong_numbers(&[
            ("multiplies-without-reciprocal", Rational::new(a * c, b * d)),
            ("reciprocal-of-first", Rational::new(b * c, a * d)),
            ("reciprocal-of-both", Rational::new(b * d, a * c)),
        ])
        .proof(format!("({quotient}) × ({c}/{d})"), format!("{a}/{b}"));
    Some(draft)
}
