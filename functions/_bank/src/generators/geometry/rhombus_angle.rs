//! The angle between a side and a diagonal of a rhombus.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "rhombus-angle",
    family: Family::Mathematics,
    classes: 8..=9,
    marks: 1..=2,
    topics: &["quadrilateral"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let b = 2 * draw.between(20, 70);
    let (whole, half) = (180 - b, 90 - b / 2);
    let draft = Draft::new(Answer::quantity(half, "°"))
        .places(&[("b", b)])
        .step(1, format!("∠BAD = 180° − {b}° = {whole}°"))
        .step(1, format!("∠BAC = {whole}° ÷ 2 = {half}°"))
        .wrong_numbers(&[
            ("half-of-the-given", b / 2),
            ("not-halved", whole),
            ("equal-to-the-given", b),
            ("right-angle-taken", 90),
        ])
        .proof(format!("2 × {half} + {b}"), 180);
    Some(draft).filter(|_| b != 60)
}
