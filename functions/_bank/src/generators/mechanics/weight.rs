//! Weight on the earth or on the moon.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "weight",
    family: Family::Science,
    classes: 8..=8,
    marks: 1..=1,
    topics: &["exploring force"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (m, earth) = (draw.between(2, 15 * draw.level()), draw.coin());
    let tenths = if earth { 100 } else { 16 };
    let newton = |tenths: i64| Number::decimal(Rational::new(tenths, 10));
    let (one, weight) = (newton(tenths), newton(m * tenths));
    let draft = Draft::new(Answer::quantity(weight, "N"))
        .asking(if earth { "earth" } else { "moon" })
        .places(&[("m", m)])
        .place("one", one)
        .step(1, format!("W = {m} × {one} = {weight} N"))
        .wrong_numbers(&[
            ("mass-for-weight", newton(10 * m)),
            ("weight-of-the-other-place", newton(m * (116 - tenths))),
            ("divided-for-multiplied", newton(m)),
        ])
        .proof(format!("{weight} ÷ {m} × 10"), tenths);
    Some(draft)
}
