//! Amount of substance from mass.

use super::substances::SUBSTANCES;
use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "moles",
    family: Family::Science,
    classes: 9..=11,
    marks: 1..=3,
    topics: &["mole", "atom molecule", "atomic foundation"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let substance = draw.one_of(&SUBSTANCES);
    let molar = substance.mass();
    let amount = Rational::new(draw.between(1, 4 * draw.level()), 2);
    let grams = amount * molar.into();
    let [moles, mass] = [amount, grams].map(Number::decimal);
    let draft = Draft::new(Answer::quantity(moles, "mol"))
        .place("m", mass)
        .place("formula", substance.formula)
        .places(&[("molar", molar)])
        .step(1, "n = m/M")
        .step(1, format!("n = {mass} ÷ {molar} = {moles} mol"))
        .wrong_numbers(&[
            ("molar-mass-divided-by-mass", Number::decimal(Rational::from(molar) / grams)),
            ("multiplied-for-divided", Number::decimal(grams * molar.into())),
            ("doubled", Number::decimal(amount * 2.into())),
            ("subtracted-for-divided", Number::decimal(grams - molar.into())),
            ("half-of-it", Number::decimal(amount / 2.into())),
        ])
        .proof(format!("{moles} × {molar}"), mass);
    Some(draft)
}
