//! Power as work in unit time.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "power-of-lift",
    family: Family::Science,
    classes: 9..=9,
    marks: 2..=3,
    topics: &["work energy", "=power"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (m, h) = (10 * draw.between(2, 8 * draw.level()), draw.between(2, 8 * draw.level()));
    let t = draw.between(2, 20);
    let work = m * 10 * h;
    if work % t != 0 {
        return None;
    }
    let p = work / t;
    let draft = Draft::new(Answer::quantity(p, "W"))
        .places(&[("m", m), ("h", h), ("t", t)])
        .step(1, format!("W = mgh = {m} × 10 × {h} = {} J", Number::from(work)))
        .step(1, "P = W/t")
        .step(1, format!("P = {} ÷ {t} = {} W", Number::from(work), Number::from(p)))
        .wrong_numbers(&[
            ("work-for-power", Rational::from(work)),
            ("multiplied-by-time", Rational::from(work * t)),
            ("g-forgotten", Rational::new(m * h, t)),
        ])
        .proof(format!("{p} × {t}"), format!("{m} × {h} × 10"));
    Some(draft)
}
