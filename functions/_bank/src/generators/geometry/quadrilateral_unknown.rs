//! Angles of a quadrilateral as terms in x.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Rational, sum_of_terms};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "quadrilateral-unknown",
    family: Family::Mathematics,
    classes: 8..=9,
    marks: 1..=3,
    topics: &["quadrilateral"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (k, x) = (draw.between(2, 3), draw.between(40, 80));
    let p = 5 * draw.between(-6, 6);
    let q = 360 - (3 + k) * x - p;
    let likely = q.abs() <= 40 && k * x < 170 && ![0, p].contains(&q) && p * (p + q) != 0;
    if !likely {
        return None;
    }
    let (whole, rest) = (3 + k, 360 - p - q);
    let [second, third] = [p, q].map(|term| sum_of_terms(&[(1, "x"), (term, "")]));
    let sum = sum_of_terms(&[(whole, "x"), (p + q, "")]);
    let draft = Draft::new(Answer::number(x))
        .places(&[("k", k)])
        .step(1, format!("x + {k}x + ({second}) + ({third}) = 360"))
        .step(1, format!("{sum} = 360; {whole}x = {rest}"))
        .step(1, format!("x = {rest} ÷ {whole} = {x}"))
        .place("second", second)
        .place("third", third)
        .wrong_numbers(&[
            ("sum-of-a-triangle", Rational::new(180 - p - q, whole)),
            ("term-moved-with-its-sign", Rational::new(360 + p + q, whole)),
            ("terms-without-x-left-out", Rational::new(360, whole)),
            ("not-divided", Rational::from(rest)),
        ])
        .proof(format!("{x} + {k} × {x} + ({x} + {p}) + ({x} + {q})"), 360);
    Some(draft)
}
