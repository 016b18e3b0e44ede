//! Roots in simplest form.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::Number;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "surd-form",
    family: Family::Mathematics,
    classes: 9..=10,
    marks: 1..=2,
    topics: &["number system", "world number"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (k, m) = (draw.between(2, 3 + 2 * draw.level()), draw.one_of(&[2, 3, 5, 6, 7, 10, 11]));
    let n = k * k * m;
    let root = Number::root(n);
    let times = |coefficient: i64, radicand: i64| Number::root_times(coefficient.into(), radicand);
    let draft = Draft::new(Answer::number(root))
        .places(&[("n", n)])
        .step(1, format!("√{n} = √({} × {m})", k * k))
        .step(1, format!("√{n} = {root}"))
        .wrong_numbers(&[
            ("square-taken-out-whole", times(k * k, m)),
            ("factors-exchanged", times(m, k)),
            ("root-halved", times(1, n / 2)),
            ("slip-in-the-square", times(k + 1, m)),
        ])
        .proof(format!("({root})^2"), n);
    Some(draft)
}
