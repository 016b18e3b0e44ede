//! Density.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "density",
    family: Family::Science,
    classes: 8..=9,
    marks: 1..=2,
    topics: &["density", "gravitation", "floating", "matter surrounding"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (d, v) =
        (Rational::new(draw.between(5, 40 * draw.level()), 10), 10 * draw.between(2, 10 * draw.level()));
    let mass = d * v.into();
    let [density, m] = [d, mass].map(Number::decimal);
    let draft = Draft::new(Answer::quantity(density, "g/cm³"))
        .place("m", m)
        .places(&[("v", v)])
        .step(1, "ρ = m/V")
        .step(1, format!("ρ = {m} ÷ {v} = {density} g/cm³"))
        .wrong_numbers(&[
            ("mass-times-volume", Number::decimal(mass * v.into())),
            ("volume-divided-by-mass", Number::decimal(Rational::from(v) / mass)),
            ("point-one-place-right", Number::decimal(d * 10.into())),
            ("mass-minus-volume", Number::decimal(mass - v.into())),
            ("point-one-place-left", Number::decimal(d / 10.into())),
        ])
        .proof(format!("{density} × {v}"), m);
    Some(draft).filter(|_| d != Rational::from(1))
}
