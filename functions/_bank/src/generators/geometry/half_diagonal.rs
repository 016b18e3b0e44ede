//! Diagonals that bisect each other, with a length in x.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Rational, sum_of_terms};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "half-diagonal",
    family: Family::Mathematics,
    classes: 8..=9,
    marks: 1..=3,
    topics: &["quadrilateral"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (a, x) = (draw.between(2, 2 + draw.level()), draw.between(2, 4 + 3 * draw.level()));
    let b = draw.between(-9, 9);
    let half = a * x + b;
    if b == 0 || half < 5 {
        return None;
    }
    let (length, cut) = (sum_of_terms(&[(a, "x"), (b, "")]), half - b);
    let draft = if draw.coin() {
        let start = Draft::new(Answer::number(x)).asking("rectangle").places(&[("diagonal", 2 * half)]);
        start.step(1, format!("OB = AC ÷ 2 = {} ÷ 2 = {half}", 2 * half))
    } else {
        Draft::new(Answer::number(x)).asking("parallelogram").places(&[("half", half)]).step(1, "OA = OC")
    };
    let draft = draft
        .step(1, format!("{length} = {half}; {a}x = {cut}"))
        .step(1, format!("x = {cut} ÷ {a} = {x}"))
        .place("length", length)
        .wrong_numbers(&[
            ("whole-diagonal-for-half", Rational::new(2 * half - b, a)),
            ("term-moved-with-its-sign", Rational::new(half + b, a)),
            ("not-divided", Rational::from(cut)),
            ("length-for-x", Rational::from(half)),
        ])
        .proof(format!("{a} × {x} + {b}"), half);
    Some(draft)
}
