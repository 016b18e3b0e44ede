//! A fraction as a percentage.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational, gcd};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "fraction-as-percent",
    family: Family::Mathematics,
    classes: 8..=8,
    marks: 1..=1,
    topics: &["percentage", "percent", "fraction disguise", "comparing quantity"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let b = draw.one_of(&[4, 5, 8, 10, 20, 25, 40, 50]);
    let a = draw.between(1, b - 1);
    if gcd(a, b) > 1 {
        return None;
    }
    let percent = |above: i64, below: i64| Number::decimal(Rational::new(100 * above, below));
    let value = percent(a, b);
    let draft = Draft::new(Answer::quantity(value, "%"))
        .places(&[("a", a), ("b", b)])
        .step(1, format!("{a}/{b} × 100 = {value}%"))
        .wrong_numbers(&[
            ("numerator-as-per-cent", Number::from(a)),
            ("rest-of-hundred", percent(b - a, b)),
            ("multiplied-by-ten", percent(a, 10 * b)),
            ("denominator-as-per-cent", Number::from(b)),
        ])
        .proof(format!("{value} × {b}"), 100 * a);
    Some(draft)
}
