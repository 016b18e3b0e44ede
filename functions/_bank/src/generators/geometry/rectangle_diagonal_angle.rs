//! An angle at the point where the diagonals of a rectangle meet.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "rectangle-diagonal-angle",
    family: Family::Mathematics,
    classes: 8..=9,
    marks: 1..=2,
    topics: &["quadrilateral"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let a = draw.between(20, 70);
    let angle = 180 - 2 * a;
    let draft = Draft::new(Answer::quantity(angle, "°"))
        .places(&[("a", a)])
        .step(1, format!("OA = OB; ∠OBA = ∠OAB = {a}°"))
        .step(1, format!("∠AOB = 180° − 2 × {a}° = {angle}°"))
        .wrong_numbers(&[
            ("neighbouring-angle-at-the-centre", 2 * a),
            ("one-angle-taken-off", 180 - a),
            ("complement", 90 - a),
            ("equal-to-the-given", a),
        ])
        .proof(format!("{angle} ÷ 2 + {a}"), 90);
    Some(draft).filter(|_| a != 60)
}
