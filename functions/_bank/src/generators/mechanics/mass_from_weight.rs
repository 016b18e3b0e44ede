//! Mass from the weight on the earth.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "mass-from-weight",
    family: Family::Science,
    classes: 8..=8,
    marks: 1..=1,
    topics: &["exploring force"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let w = 5 * draw.between(1, 20 * draw.level());
    let tenth = |w: i64| Number::decimal(Rational::new(w, 10));
    let mass = tenth(w);
    let draft = Draft::new(Answer::quantity(mass, "kg"))
        .places(&[("w", w)])
        .step(1, format!("m = {w} ÷ 10 = {mass} kg"))
        .wrong_numbers(&[
            ("weight-for-mass", Number::from(w)),
            ("multiplied-for-divided", Number::from(10 * w)),
            ("divided-by-hundred", Number::decimal(Rational::new(w, 100))),
        ])
        .proof(format!("{mass} × 10"), w);
    Some(draft)
}
