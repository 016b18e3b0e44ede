//! Inverse proportion: workers and days.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::Rational;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "inverse-proportion",
    family: Family::Mathematics,
    classes: 8..=8,
    marks: 2..=3,
    topics: &["proportion", "proportional reasoning"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (w, d) = (draw.between(3, 8 * draw.level()), draw.between(4, 8 * draw.level()));
    let v = draw.between(2, 10 * draw.level());
    if w == v || (w * d) % v != 0 || w * d / v < 2 {
        return None;
    }
    let days = w * d / v;
    let draft = Draft::new(Answer::quantity(days, "days"))
        .places(&[("w", w), ("d", d), ("v", v)])
        .step(1, format!("{w} × {d} = {}", w * d))
        .step(2, format!("{} ÷ {v} = {days}", w * d))
        .wrong_numbers(&[
            ("direct-for-inverse", Rational::new(d * v, w)),
            ("difference-of-workers", Rational::from(d + w - v)),
            ("total-work-for-days", Rational::from(w * d)),
            ("divided-by-old-number", Rational::from(d)),
        ])
        .proof(format!("{days} × {v}"), format!("{w} × {d}"));
    Some(draft)
}
