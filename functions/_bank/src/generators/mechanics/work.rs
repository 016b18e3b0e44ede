//! W = Fs.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "work",
    family: Family::Science,
    classes: 9..=9,
    marks: 1..=2,
    topics: &["work energy", "=work", "=energy"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (f, s) = (5 * draw.between(2, 20 * draw.level()), draw.between(2, 12 * draw.level()));
    let work = Number::from(f * s);
    let draft = Draft::new(Answer::quantity(work, "J"))
        .places(&[("f", f), ("s", s)])
        .step(1, "W = Fs")
        .step(1, format!("W = {f} × {s} = {work} J"))
        .wrong_numbers(&[
            ("added-for-multiplied", Rational::from(f + s)),
            ("divided-for-multiplied", Rational::new(f, s)),
            ("half-of-it", Rational::new(f * s, 2)),
            ("distance-squared", Rational::from(f * s * s)),
        ])
        .proof(format!("{work} ÷ {s}"), f);
    Some(draft)
}
