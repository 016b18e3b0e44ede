//! The perimeter of a rectangle.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "rectangle-perimeter",
    family: Family::Mathematics,
    classes: 6..=7,
    marks: 1..=2,
    topics: &["perimeter"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (b, l) = (draw.between(3, 10 * draw.level()), draw.between(5, 20 * draw.level()));
    if l <= b {
        return None;
    }
    let perimeter = 2 * (l + b);
    let draft = Draft::new(Answer::quantity(perimeter, "m"))
        .places(&[("l", l), ("b", b)])
        .step(1, "P = 2 × (l + b)")
        .step(1, format!("2 × ({l} + {b}) = {perimeter} m"))
        .wrong_numbers(&[
            ("two-sides-only", l + b),
            ("area-for-perimeter", l * b),
            ("one-side-once", 2 * l + b),
        ])
        .proof(perimeter, format!("{l} + {b} + {l} + {b}"));
    Some(draft)
}
