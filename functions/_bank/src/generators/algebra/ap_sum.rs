//! The sum of an arithmetic progression.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::Number;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "ap-sum",
    family: Family::Mathematics,
    classes: 9..=10,
    marks: 2..=4,
    topics: &["arithmetic progression", "sequence progression"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (a, d) = (draw.between(1, 5 + 3 * draw.level()), draw.between(1, 3 + draw.level()));
    let n = draw.between(8, 10 + 5 * draw.level());
    let twice = n * (2 * a + (n - 1) * d);
    let sum = Number::from(twice / 2);
    let terms: Vec<String> = (0..n).map(|at| (a + at * d).to_string()).collect();
    let draft = Draft::new(Answer::number(sum))
        .place("terms", format!("{}, …", terms[..3].join(", ")))
        .places(&[("n", n)])
        .step(1, format!("a = {a}; d = {d}; n = {n}"))
        .step(1, "Sₙ = n/2 × (2a + (n − 1)d)")
        .step(1, format!("{n}/2 × (2 × {a} + ({n} − 1) × {d}) = {sum}"))
        .wrong_numbers(&[
            ("half-forgotten", twice),
            ("n-for-n-minus-one", n * (2 * a + n * d) / 2),
            ("last-term-for-sum", a + (n - 1) * d),
            ("first-term-times-number", n * a),
        ])
        .proof(sum, terms.join(" + "));
    Some(draft).filter(|_| n * (2 * a + n * d) % 2 == 0)
}
