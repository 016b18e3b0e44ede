//! Ohm's law.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "ohms-law",
    family: Family::Science,
    classes: 10..=10,
    marks: 1..=2,
    topics: &["electricity"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (i, r) = (Rational::new(draw.between(1, 10 * draw.level()), 2), draw.between(2, 12 * draw.level()));
    let volts = i * r.into();
    let [current, voltage] = [i, volts].map(Number::decimal);
    let decimal = |number: Rational| Number::decimal(number);
    let draft = Draft::new(Answer::quantity(current, "A"))
        .place("v", voltage)
        .places(&[("r", r)])
        .step(1, "I = V/R")
        .step(1, format!("I = {voltage} ÷ {r} = {current} A"))
        .wrong_numbers(&[
            ("multiplied-for-divided", decimal(volts * r.into())),
            ("resistance-divided-by-voltage", decimal(Rational::from(r) / volts)),
            ("subtracted-for-divided", decimal(volts - r.into())),
            ("doubled", decimal(i * 2.into())),
        ])
        .proof(format!("{current} × {r}"), voltage);
    Some(draft)
}
