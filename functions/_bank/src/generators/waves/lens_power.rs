//! The power of a lens.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "lens-power",
    family: Family::Science,
    classes: 10..=10,
    marks: 1..=2,
    topics: &["light reflection", "human eye"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let f = draw.one_of(&[10, 20, 25, 40, 50, 80, 100, 200]);
    let concave = draw.coin();
    let sign = if concave { -1 } else { 1 };
    let power = Rational::new(100 * sign, f);
    let [p, metres] = [power, Rational::new(f, 100)].map(Number::decimal);
    let minus = if concave { "−" } else { "" };
    let draft = Draft::new(Answer::number(p))
        .asking(if concave { "concave" } else { "convex" })
        .places(&[("f", f)])
        .step(1, format!("P = 1/f; f = {minus}{f} ÷ 100 = {minus}{metres} m"))
        .step(1, format!("P = 1 ÷ ({minus}{metres}) = {p} D"))
        .wrong_numbers(&[
            ("sign-of-the-lens", Number::decimal(-power)),
            ("centimetres-for-metres", Number::decimal(Rational::new(sign, f))),
            ("focal-length-for-power", Number::decimal(Rational::new(sign * f, 100))),
            ("ten-for-hundred", Number::decimal(Rational::new(10 * sign, f))),
        ])
        .proof(format!("({p}) × {metres}"), sign);
    Some(draft)
}
