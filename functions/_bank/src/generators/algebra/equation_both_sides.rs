//! Equations with the variable on both sides.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational, brackets, sum_of_terms};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "equation-both-sides",
    family: Family::Mathematics,
    classes: 7..=8,
    marks: 2..=3,
    topics: &["unknown", "linear equation", "algebra play"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (a, c) = (draw.between(3, 6 + 2 * draw.level()), draw.between(1, 6));
    let (x, b) = (draw.between(-4 * draw.level(), 10), draw.between(1, 12));
    if a <= c + 1 || x == 0 {
        return None;
    }
    let d = (a - c) * x + b;
    let (left, right) = (sum_of_terms(&[(a, "x"), (b, "")]), sum_of_terms(&[(c, "x"), (d, "")]));
    let (d_text, x_text) = (brackets(Number::from(d)), Number::from(x));
    let draft = Draft::new(Answer::number(x))
        .place("equation", format!("{left} = {right}"))
        .step(1, format!("{a}x − {c}x = {d_text} − {b}").replace("1x", "x"))
        .step(1, format!("{}x = {}", a - c, Number::from(d - b)))
        .step(1, format!("x = {} ÷ {} = {x_text}", brackets(Number::from(d - b)), a - c))
        .wrong_numbers(&[
            ("constant-moved-with-its-sign", Rational::new(d + b, a - c)),
            ("variable-moved-with-its-sign", Rational::new(d - b, a + c)),
            ("sign-of-solution", Rational::from(-x)),
            ("not-divided", Rational::from(d - b)),
        ])
        .proof(format!("{a} × {} + {b}", brackets(x_text)), format!("{c} × {} + {d_text}", brackets(x_text)));
    Some(draft).filter(|_| d != 0)
}
