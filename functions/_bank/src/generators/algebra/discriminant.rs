//! The discriminant of a quadratic equation.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, brackets, sum_of_terms};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "discriminant",
    family: Family::Mathematics,
    classes: 9..=10,
    marks: 1..=2,
    topics: &["quadratic"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (a, c) = (draw.between(1, 2 + draw.level()), draw.between(-5, 3 * draw.level()));
    let b = draw.between(-9, 9);
    if c == 0 || b == 0 {
        return None;
    }
    let d = b * b - 4 * a * c;
    let [b_text, c_text] = [b, c].map(|n| brackets(Number::from(n)));
    let draft = Draft::new(Answer::number(d))
        .place("equation", format!("{} = 0", sum_of_terms(&[(a, "x²"), (b, "x"), (c, "")])))
        .step(1, "D = b² − 4ac")
        .step(1, format!("D = {b_text}² − 4 × {a} × {c_text} = {}", Number::from(d)))
        .wrong_numbers(&[
            ("plus-for-minus", b * b + 4 * a * c),
            ("b-not-squared", b - 4 * a * c),
            ("b-doubled-for-squared", 2 * b - 4 * a * c),
            ("four-forgotten", b * b - a * c),
        ])
        .proof(Number::from(d), format!("(({b_text}/{a})^2 − 4 × ({c_text}/{a})) × {a}^2"));
    Some(draft)
}
