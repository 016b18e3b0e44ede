//! Products and quotients of integers.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, brackets};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "integer-product",
    family: Family::Mathematics,
    classes: 7..=8,
    marks: 2..=3,
    topics: &["integer"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (a, b) = (draw.between(3, 6 * draw.level()), draw.between(2, 9));
    let (d, q) = (draw.between(2, 9), draw.between(2, 6 * draw.level()));
    let c = d * q;
    let value = -a * b - q;
    let draft = Draft::new(Answer::number(value))
        .place("expression", format!("(−{a}) × {b} + {c} ÷ (−{d})"))
        .step(1, format!("(−{a}) × {b} = −{}", a * b))
        .step(1, format!("{c} ÷ (−{d}) = −{q}"))
        .step(1, format!("−{} + (−{q}) = {}", a * b, Number::from(value)))
        .wrong_numbers(&[
            ("quotient-of-unlike-signs-positive", q - a * b),
            ("product-of-unlike-signs-positive", a * b - q),
            ("both-signs-lost", a * b + q),
        ])
        .proof(format!("{} + {q}", brackets(Number::from(value))), format!("0 − {a} × {b}"));
    Some(draft)
}
