//! The interior angle of a regular polygon.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "regular-polygon-angle",
    family: Family::Mathematics,
    classes: 8..=8,
    marks: 1..=2,
    topics: &["polygon", "~understanding quadrilateral", "~चतुर्भुजों को समझना"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let n = draw.one_of(&[5, 6, 8, 9, 10, 12, 15, 18, 20]);
    let angle = 180 - 360 / n;
    let draft = Draft::new(Answer::quantity(angle, "°"))
        .places(&[("n", n)])
        .step(1, format!("({n} − 2) × 180° = {}°", Number::from((n - 2) * 180)))
        .step(1, format!("{}° ÷ {n} = {angle}°", Number::from((n - 2) * 180)))
        .wrong_numbers(&[
            ("exterior-for-interior", Rational::from(360 / n)),
            ("sum-for-one-angle", Rational::from((n - 2) * 180)),
            ("one-side-too-few-taken-off", Rational::new((n - 1) * 180, n)),
        ])
        .proof(format!("{n} × (180 − {angle})"), 360);
    Some(draft)
}
