//! Heat from a current.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::Number;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "heat-of-current",
    family: Family::Science,
    classes: 10..=10,
    marks: 2..=3,
    topics: &["electricity"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (i, r, t) =
        (draw.between(1, 2 + draw.level()), draw.between(2, 10 * draw.level()), 5 * draw.between(2, 12));
    let heat = Number::from(i * i * r * t);
    let draft = Draft::new(Answer::quantity(heat, "J"))
        .places(&[("i", i), ("r", r), ("t", t)])
        .step(1, "H = I²Rt")
        .step(1, format!("H = {i}² × {r} × {t}"))
        .step(1, format!("H = {i}² × {r} × {t} = {heat} J"))
        .wrong_numbers(&[
            ("current-not-squared", i * r * t),
            ("time-forgotten", i * i * r),
            ("resistance-squared", i * r * r * t),
            ("doubled-for-squared", 2 * i * r * t),
        ])
        .proof(format!("{heat} ÷ {t}"), format!("({i} × {r}) × {i}"));
    Some(draft)
}
