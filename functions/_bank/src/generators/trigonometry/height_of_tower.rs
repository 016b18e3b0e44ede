//! Heights from an angle of elevation.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "height-of-tower",
    family: Family::Mathematics,
    classes: 10..=10,
    marks: 2..=4,
    topics: &["application trigonometry", "height distance", "=trigonometry"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (angle, d) = (draw.one_of(&[30, 60]), 3 * draw.between(2, 10 * draw.level()));
    let times =
        |above: i64, below: i64, radicand: i64| Number::root_times(Rational::new(above * d, below), radicand);
    let (thirty, sixty) = (times(1, 3, 3), times(1, 1, 3));
    let (height, other, tangent, square) =
        if angle == 30 { (thirty, sixty, "1/√3", "1/3") } else { (sixty, thirty, "√3", "3") };
    let draft = Draft::new(Answer::quantity(height, "m"))
        .places(&[("d", d), ("angle", angle)])
        .step(1, format!("tan {angle}° = h/{d}"))
        .step(1, format!("h = {d} × tan {angle}° = {d} × {tangent}"))
        .step(1, format!("h = {height} m"))
        .wrong_numbers(&[
            ("tangent-of-the-complement", other),
            ("sine-of-sixty-for-tangent", times(1, 2, 3)),
            ("angle-of-forty-five", Number::from(d)),
        ])
        .proof(format!("({height})^2"), format!("{d}^2 × ({square})"));
    Some(draft)
}
