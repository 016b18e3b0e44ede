//! The volume of a cylinder.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "cylinder-volume",
    family: Family::Mathematics,
    classes: 8..=10,
    marks: 2..=3,
    topics: &["volume"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (r, h) = (7 * draw.between(1, draw.level()), draw.between(4, 10 * draw.level()));
    let volume = 22 * r * r * h / 7;
    let draft = Draft::new(Answer::quantity(volume, "cm³"))
        .places(&[("r", r), ("h", h)])
        .step(1, "V = πr²h")
        .step(1, format!("22/7 × {r} × {r} × {h}"))
        .step(1, format!("22/7 × {r} × {r} × {h} = {} cm³", Number::from(volume)))
        .wrong_numbers(&[
            ("curved-surface-for-volume", Rational::from(44 * r * h / 7)),
            ("radius-not-squared", Rational::from(22 * r * h / 7)),
            ("diameter-for-radius", Rational::from(4 * volume)),
            ("cone-for-cylinder", Rational::new(volume, 3)),
        ])
        .proof(format!("{volume} ÷ {h} × 7"), format!("22 × {r}^2"));
    Some(draft)
}
