//! Pressure.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "pressure",
    family: Family::Science,
    classes: 8..=9,
    marks: 1..=2,
    topics: &["pressure"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (p, a) = (10 * draw.between(2, 30 * draw.level()), draw.between(2, 6 * draw.level()));
    let f = p * a;
    let draft = Draft::new(Answer::quantity(p, "Pa"))
        .places(&[("f", f), ("a", a)])
        .step(1, "p = F/A")
        .step(1, format!("p = {} ÷ {a} = {} Pa", Number::from(f), Number::from(p)))
        .wrong_numbers(&[
            ("multiplied-for-divided", Rational::from(f * a)),
            ("force-for-pressure", Rational::from(f)),
            ("area-divided-by-force", Rational::new(a, f)),
            ("subtracted-for-divided", Rational::from(f - a)),
        ])
        .proof(format!("{p} × {a}"), f);
    Some(draft)
}
