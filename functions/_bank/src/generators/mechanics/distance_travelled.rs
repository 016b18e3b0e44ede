//! s = ut + ½at².

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "distance-travelled",
    family: Family::Science,
    classes: 9..=9,
    marks: 2..=3,
    topics: &["=motion", "describing motion", "motion straight line"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (u, a, t) =
        (draw.between(1, 6 * draw.level()), 2 * draw.between(1, 1 + draw.level()), draw.between(3, 8));
    let s = u * t + a * t * t / 2;
    let draft = Draft::new(Answer::quantity(s, "m"))
        .places(&[("u", u), ("a", a), ("t", t)])
        .step(1, "s = ut + 1/2 × at²")
        .step(1, format!("s = {u} × {t} + 1/2 × {a} × {t}²"))
        .step(1, format!("{} + {} = {s} m", u * t, a * t * t / 2))
        .wrong_numbers(&[
            ("half-forgotten", u * t + a * t * t),
            ("time-not-squared", u * t + a * t / 2),
            ("acceleration-ignored", u * t),
        ])
        .proof(s, format!("({u} + ({u} + {a} × {t})) ÷ 2 × {t}"));
    Some(draft)
}
