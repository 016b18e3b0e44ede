//! The fourth angle of a quadrilateral.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "quadrilateral-angle",
    family: Family::Mathematics,
    classes: 8..=9,
    marks: 1..=2,
    topics: &["quadrilateral"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (a, b, c) = (draw.between(50, 120), draw.between(50, 120), draw.between(50, 120));
    let fourth = 360 - a - b - c;
    if !(40..=150).contains(&fourth) || a == b || b == c {
        return None;
    }
    let draft = Draft::new(Answer::quantity(fourth, "°"))
        .places(&[("a", a), ("b", b), ("c", c)])
        .step(1, format!("{a}° + {b}° + {c}° = {}°", a + b + c))
        .step(1, format!("360° − {}° = {fourth}°", a + b + c))
        .wrong_numbers(&[
            ("equal-to-the-opposite", b),
            ("supplement-of-the-last", 180 - c),
            ("exterior-for-interior", 180 - fourth),
            ("slip-by-ten", fourth + 10),
        ])
        .proof(format!("{a} + {b} + {c} + {fourth}"), 360);
    Some(draft)
}
