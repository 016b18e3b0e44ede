//! Equations in one variable on one side.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational, brackets, sum_of_terms};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "linear-equation",
    family: Family::Mathematics,
    classes: 7..=8,
    marks: 1..=2,
    topics: &["unknown", "linear equation", "simple equation", "algebra play"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (a, b) = (draw.between(2, 6 + 2 * draw.level()), draw.between(1, 10 * draw.level()));
    let x = draw.between(if draw.level() == 1 { 1 } else { -9 }, 12);
    if x == 0 {
        return None;
    }
    let c = a * x + b;
    let side = sum_of_terms(&[(a, "x"), (b, "")]);
    let draft = Draft::new(Answer::number(x))
        .place("equation", format!("{side} = {}", Number::from(c)))
        .step(
            1,
            format!("{a}x = {} − {b}; {} − {b} = {}", Number::from(c), Number::from(c), Number::from(c - b)),
        )
        .step(1, format!("x = {} ÷ {a} = {}", brackets(Number::from(c - b)), Number::from(x)))
        .wrong_numbers(&[
            ("term-moved-with-its-sign", Rational::new(c + b, a)),
            ("not-divided", Rational::from(c - b)),
            ("sign-of-solution", Rational::from(-x)),
            ("coefficient-subtracted", Rational::from(c - b - a)),
        ])
        .proof(format!("{a} × {} + {b}", brackets(Number::from(x))), Number::from(c));
    Some(draft)
}
