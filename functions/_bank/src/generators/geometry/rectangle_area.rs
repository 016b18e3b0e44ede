//! The area of a rectangle.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::Number;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "rectangle-area",
    family: Family::Mathematics,
    classes: 6..=8,
    marks: 1..=2,
    topics: &["perimeter area", "=area"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (b, l) = (draw.between(4, 10 * draw.level()), draw.between(6, 20 * draw.level()));
    if l <= b {
        return None;
    }
    let area = Number::from(l * b);
    let draft = Draft::new(Answer::quantity(area, "m²"))
        .places(&[("l", l), ("b", b)])
        .step(1, "A = l × b")
        .step(1, format!("{l} × {b} = {area} m²"))
        .wrong_numbers(&[("perimeter-for-area", 2 * (l + b)), ("sides-added", l + b), ("doubled", 2 * l * b)])
        .proof(area, format!("(({l} + {b})^2 − ({l} − {b})^2) ÷ 4"));
    Some(draft)
}
