//! The volume of a cuboid.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::Number;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "cuboid-volume",
    family: Family::Mathematics,
    classes: 8..=10,
    marks: 1..=2,
    topics: &["volume"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (l, b, h) =
        (draw.between(6, 12 * draw.level()), draw.between(4, 8 * draw.level()), draw.between(2, 9));
    let volume = Number::from(l * b * h);
    let draft = Draft::new(Answer::quantity(volume, "cm³"))
        .places(&[("l", l), ("b", b), ("h", h)])
        .step(1, "V = l × b × h")
        .step(1, format!("{l} × {b} × {h} = {volume} cm³"))
        .wrong_numbers(&[
            ("surface-for-volume", 2 * (l * b + b * h + h * l)),
            ("edges-added", l + b + h),
            ("base-area-only", l * b),
        ])
        .proof(format!("{volume} ÷ {l}"), format!("{b} × {h}"));
    Some(draft).filter(|_| l > b)
}
