//! The circumference of a circle.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::Number;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "circle-circumference",
    family: Family::Mathematics,
    classes: 7..=10,
    marks: 1..=2,
    topics: &["circumference", "area related circle", "measuring space", "perimeter area"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let r = 7 * draw.between(1, 4 * draw.level());
    let length = Number::from(44 * r / 7);
    let draft = Draft::new(Answer::quantity(length, "cm"))
        .places(&[("r", r)])
        .step(1, "C = 2πr")
        .step(1, format!("2 × 22/7 × {r} = {length} cm"))
        .wrong_numbers(&[
            ("radius-for-diameter", 22 * r / 7),
            ("area-for-circumference", 22 * r * r / 7),
            ("diameter-for-radius", 88 * r / 7),
            ("diameter-only", 2 * r),
        ])
        .proof(format!("{length} ÷ {r}"), "44/7");
    Some(draft)
}
