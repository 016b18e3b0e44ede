//! v = u + at.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "final-velocity",
    family: Family::Science,
    classes: 9..=9,
    marks: 2..=3,
    topics: &["=motion", "describing motion", "motion straight line"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (u, a, t) =
        (draw.between(0, 5 * draw.level()), draw.between(1, 2 + draw.level()), draw.between(3, 10));
    let v = u + a * t;
    let draft = Draft::new(Answer::quantity(v, "m/s"))
        .places(&[("u", u), ("a", a), ("t", t)])
        .step(1, "v = u + at")
        .step(1, format!("v = {u} + {a} × {t}"))
        .step(1, format!("v = {u} + {a} × {t} = {v} m/s"))
        .wrong_numbers(&[
            ("gain-only", a * t),
            ("time-not-multiplied", u + a + t),
            ("sum-times-time", (u + a) * t),
            ("distance-for-velocity", v * t),
        ])
        .proof(format!("({v} − {u}) ÷ {t}"), a);
    Some(draft)
}
