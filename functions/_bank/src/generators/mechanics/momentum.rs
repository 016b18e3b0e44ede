//! p = mv.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "momentum",
    family: Family::Science,
    classes: 9..=9,
    marks: 1..=2,
    topics: &["force"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (m, v) = (draw.between(2, 25 * draw.level()), draw.between(3, 10 * draw.level()));
    let p = Number::from(m * v);
    let draft = Draft::new(Answer::quantity(p, "kg m/s"))
        .places(&[("m", m), ("v", v)])
        .step(1, "p = mv")
        .step(1, format!("p = {m} × {v} = {p} kg m/s"))
        .wrong_numbers(&[
            ("added-for-multiplied", Rational::from(m + v)),
            ("velocity-squared", Rational::from(m * v * v)),
            ("divided-for-multiplied", Rational::new(m, v)),
            ("kinetic-energy-for-momentum", Rational::new(m * v * v, 2)),
        ])
        .proof(format!("{p} ÷ {v}"), m);
    Some(draft)
}
