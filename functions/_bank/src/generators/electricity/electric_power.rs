//! P = VI.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "electric-power",
    family: Family::Science,
    classes: 10..=10,
    marks: 1..=2,
    topics: &["electricity"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (v, tenths) = (draw.one_of(&[110, 220, 230, 12, 6]), 5 * draw.between(1, 4 * draw.level()));
    let i = Rational::new(tenths, 10);
    let p = i * v.into();
    let [current, power] = [i, p].map(Number::decimal);
    let draft = Draft::new(Answer::quantity(power, "W"))
        .places(&[("v", v)])
        .place("i", current)
        .step(1, "P = VI")
        .step(1, format!("P = {v} × {current} = {power} W"))
        .wrong_numbers(&[
            ("divided-for-multiplied", Number::decimal(Rational::from(v) / i)),
            ("current-squared", Number::decimal(p * i)),
            ("voltage-squared", Number::decimal(p * v.into())),
            ("added-for-multiplied", Number::decimal(i + v.into())),
        ])
        .proof(format!("{power} ÷ {current}"), v);
    Some(draft)
}
