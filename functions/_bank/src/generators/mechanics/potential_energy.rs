//! Potential energy near the ground.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::Number;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "potential-energy",
    family: Family::Science,
    classes: 9..=9,
    marks: 1..=3,
    topics: &["work energy", "=energy"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (m, h) = (draw.between(2, 15 * draw.level()), draw.between(2, 10 * draw.level()));
    let energy = Number::from(m * 10 * h);
    let draft = Draft::new(Answer::quantity(energy, "J"))
        .places(&[("m", m), ("h", h)])
        .step(1, "E = mgh")
        .step(1, format!("E = {m} × 10 × {h} = {energy} J"))
        .wrong_numbers(&[
            ("g-forgotten", m * h),
            ("height-forgotten", m * 10),
            ("half-as-in-kinetic-energy", m * 5 * h),
        ])
        .proof(format!("{energy} ÷ {h} ÷ 10"), m);
    Some(draft)
}
