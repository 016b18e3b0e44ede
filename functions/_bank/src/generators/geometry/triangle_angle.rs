//! The third angle of a triangle.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "triangle-angle",
    family: Family::Mathematics,
    classes: 7..=9,
    marks: 1..=2,
    topics: &["triangle property", "line angle", "three intersecting line", "angle sum"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (a, b) = (draw.between(25, 85), draw.between(30, 80));
    let third = 180 - a - b;
    if a == b || third < 15 || third == a || third == b {
        return None;
    }
    let draft = Draft::new(Answer::quantity(third, "°"))
        .places(&[("a", a), ("b", b)])
        .step(1, format!("{a}° + {b}° = {}°", a + b))
        .step(1, format!("180° − {}° = {third}°", a + b))
        .wrong_numbers(&[
            ("exterior-for-interior", a + b),
            ("from-a-full-turn", 360 - a - b),
            ("one-angle-only", 180 - a),
            ("difference-of-angles", (a - b).abs()),
        ])
        .proof(format!("{a} + {b} + {third}"), 180);
    Some(draft)
}
