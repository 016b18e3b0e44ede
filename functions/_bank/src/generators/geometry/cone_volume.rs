//! The volume of a cone.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::Number;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "cone-volume",
    family: Family::Mathematics,
    classes: 9..=10,
    marks: 2..=3,
    topics: &["volume"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (r, h) = (7 * draw.between(1, draw.level()), 3 * draw.between(1, 4 * draw.level()));
    let volume = 22 * r * r * h / 21;
    let draft = Draft::new(Answer::quantity(volume, "cm³"))
        .places(&[("r", r), ("h", h)])
        .step(1, "V = 1/3 × πr²h")
        .step(1, format!("1/3 × 22/7 × {r} × {r} × {h}"))
        .step(1, format!("1/3 × 22/7 × {r} × {r} × {h} = {} cm³", Number::from(volume)))
        .wrong_numbers(&[
            ("cylinder-for-cone", 3 * volume),
            ("radius-not-squared", 22 * r * h / 21),
            ("diameter-for-radius", 4 * volume),
        ])
        .proof(format!("3 × {volume} ÷ {h}"), format!("22/7 × {r}^2"));
    Some(draft)
}
