//! Kinetic energy.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::Number;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "kinetic-energy",
    family: Family::Science,
    classes: 9..=9,
    marks: 2..=3,
    topics: &["work energy", "=energy"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (m, v) = (2 * draw.between(1, 10 * draw.level()), draw.between(2, 8 * draw.level()));
    let energy = m * v * v / 2;
    let draft = Draft::new(Answer::quantity(energy, "J"))
        .places(&[("m", m), ("v", v)])
        .step(1, "E = 1/2 × mv²")
        .step(1, format!("E = 1/2 × {m} × {v}²"))
        .step(1, format!("E = 1/2 × {m} × {v}² = {} J", Number::from(energy)))
        .wrong_numbers(&[
            ("half-forgotten", m * v * v),
            ("momentum-for-energy", m * v),
            ("velocity-not-squared", m * v / 2),
        ])
        .proof(format!("2 × {energy} ÷ {m}"), v * v);
    Some(draft)
}
