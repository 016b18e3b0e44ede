//! The area of a sector.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "sector-area",
    family: Family::Mathematics,
    classes: 10..=10,
    marks: 2..=3,
    topics: &["area related circle", "circle area"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (angle, r) = (draw.one_of(&[30, 45, 60, 90, 120]), 21 * draw.between(1, draw.level()));
    let area = Rational::new(angle * 22 * r * r, 360 * 7);
    let decimal = |above: i64, below: i64| Number::decimal(Rational::new(above, below));
    let draft = Draft::new(Answer::quantity(Number::decimal(area), "cm²"))
        .places(&[("angle", angle), ("r", r)])
        .step(1, "A = θ/360° × πr²")
        .step(1, format!("{angle}/360 × 22/7 × {r} × {r}"))
        .step(1, format!("{angle}/360 × 22/7 × {r} × {r} = {} cm²", Number::decimal(area)))
        .wrong_numbers(&[
            ("arc-for-sector", decimal(angle * 44 * r, 360 * 7)),
            ("half-turn-for-turn", decimal(angle * 22 * r * r, 180 * 7)),
            ("whole-circle", decimal(22 * r * r, 7)),
            ("rest-of-circle", decimal((360 - angle) * 22 * r * r, 360 * 7)),
        ])
        .proof(format!("{} × 360 ÷ {angle}", Number::decimal(area)), format!("22 × {r}^2 ÷ 7"));
    Some(draft)
}
