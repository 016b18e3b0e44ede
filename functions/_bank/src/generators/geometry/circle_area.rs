//! The area of a circle.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::Number;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "circle-area",
    family: Family::Mathematics,
    classes: 7..=10,
    marks: 1..=2,
    topics: &["circle area", "measuring space", "perimeter area"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let r = 7 * draw.between(1, 4 * draw.level());
    let area = Number::from(22 * r * r / 7);
    let draft = Draft::new(Answer::quantity(area, "cm²"))
        .places(&[("r", r)])
        .step(1, "A = πr²")
        .step(1, format!("22/7 × {r} × {r} = {area} cm²"))
        .wrong_numbers(&[
            ("circumference-for-area", 44 * r / 7),
            ("diameter-for-radius", 88 * r * r / 7),
            ("pi-forgotten", r * r),
            ("radius-not-squared", 22 * r / 7),
        ])
        .proof(format!("7 × {area}"), format!("22 × {r}^2"));
    Some(draft)
}
