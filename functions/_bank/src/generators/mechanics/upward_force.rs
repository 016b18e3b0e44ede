//! The upward force of water from two readings.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "upward-force",
    family: Family::Science,
    classes: 8..=8,
    marks: 1..=1,
    topics: &["exploring force"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (b, f) = (draw.between(2, 15 * draw.level()), draw.between(2, 10 * draw.level()));
    let a = b + f;
    let draft = Draft::new(Answer::quantity(f, "N"))
        .places(&[("a", a), ("b", b)])
        .step(1, format!("{a} − {b} = {f} N"))
        .wrong_numbers(&[
            ("added-for-subtracted", a + b),
            ("reading-in-water-taken", b),
            ("reading-in-air-taken", a),
        ])
        .proof(format!("{f} + {b}"), a);
    Some(draft)
}
