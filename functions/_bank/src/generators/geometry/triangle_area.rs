//! The area of a triangle from base and height.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::Number;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "triangle-area",
    family: Family::Mathematics,
    classes: 6..=8,
    marks: 1..=2,
    topics: &["perimeter area", "=area", "triangle area"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (b, h) = (2 * draw.between(2, 6 * draw.level()), draw.between(3, 12 * draw.level()));
    let area = b * h / 2;
    let draft = Draft::new(Answer::quantity(area, "cm²"))
        .places(&[("b", b), ("h", h)])
        .step(1, "A = 1/2 × b × h")
        .step(1, format!("1/2 × {b} × {h} = {} cm²", Number::from(area)))
        .wrong_numbers(&[("half-forgotten", b * h), ("sides-added", b + h), ("halved-twice", b * h / 4)])
        .proof(format!("{area} + {area}"), format!("{b} × {h}"));
    Some(draft).filter(|_| b * h % 4 == 0)
}
