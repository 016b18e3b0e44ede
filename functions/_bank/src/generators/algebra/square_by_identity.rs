//! Squares near a round number by (a ± b)².

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::Number;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "square-by-identity",
    family: Family::Mathematics,
    classes: 8..=9,
    marks: 1..=2,
    topics: &["identity", "distribute multiply"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (a, b) = (10 * draw.between(3, 10 * draw.level()), draw.between(1, 4));
    let minus = draw.coin();
    let signed = if minus { -b } else { b };
    let (n, sign) = (a + signed, if minus { "−" } else { "+" });
    let square = Number::from(n * n);
    let draft = Draft::new(Answer::number(square))
        .places(&[("n", n)])
        .step(1, format!("{n} = {a} {sign} {b}; ({a} {sign} {b})² = {a}² {sign} 2 × {a} × {b} + {b}²"))
        .step(1, format!("{} {sign} {} + {} = {square}", Number::from(a * a), Number::from(2 * a * b), b * b))
        .wrong_numbers(&[
            ("middle-term-forgotten", a * a + b * b),
            ("middle-term-not-doubled", a * a + a * signed + b * b),
            ("last-term-subtracted", a * a + 2 * a * signed - b * b),
        ])
        .proof(square, format!("{n} × {n}"));
    Some(draft)
}
