//! A side of a parallelogram from its perimeter.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "parallelogram-side",
    family: Family::Mathematics,
    classes: 8..=9,
    marks: 1..=2,
    topics: &["quadrilateral"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (a, b) = (draw.between(4, 12 * draw.level()), draw.between(4, 12 * draw.level()));
    let half = a + b;
    let draft = Draft::new(Answer::quantity(b, "cm"))
        .places(&[("perimeter", 2 * half), ("a", a)])
        .step(1, format!("{} ÷ 2 = {half} cm", 2 * half))
        .step(1, format!("{half} − {a} = {b} cm"))
        .wrong_numbers(&[
            ("perimeter-not-halved", Number::from(half + b)),
            ("all-sides-taken-as-equal", Number::decimal(Rational::new(half, 2))),
            ("both-sides-for-one", Number::from(2 * b)),
            ("half-the-perimeter", Number::from(half)),
        ])
        .proof(format!("2 × ({a} + {b})"), 2 * half);
    Some(draft).filter(|_| a != b)
}
