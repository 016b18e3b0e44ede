//! The lens formula for a convex lens.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::Rational;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "lens-image",
    family: Family::Science,
    classes: 10..=10,
    marks: 3..=3,
    topics: &["light reflection"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (f, u) = (5 * draw.between(2, 2 + 2 * draw.level()), 5 * draw.between(3, 6 + 4 * draw.level()));
    if u <= f || (u * f) % (u - f) != 0 || u == 2 * f {
        return None;
    }
    let v = u * f / (u - f);
    let draft = Draft::new(Answer::quantity(v, "cm"))
        .places(&[("f", f), ("u", u)])
        .step(1, format!("u = −{u} cm; f = +{f} cm; 1/v = 1/f + 1/u"))
        .step(1, format!("1/v = 1/{f} − 1/{u} = 1/{v}"))
        .step(1, format!("v = {v} cm"))
        .wrong_numbers(&[
            ("sign-of-the-object-distance", Rational::new(u * f, u + f)),
            ("distances-subtracted", Rational::from(u - f)),
            ("distances-added", Rational::from(u + f)),
            ("twice-the-focal-length", Rational::from(2 * f)),
        ])
        .proof(format!("1/{v} + 1/{u}"), format!("1/{f}"));
    Some(draft)
}
