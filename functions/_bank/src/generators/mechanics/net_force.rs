//! The net force of two forces along one line.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "net-force",
    family: Family::Science,
    classes: 8..=9,
    marks: 1..=1,
    topics: &["force"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let high = 20 * draw.level();
    let (a, b) = (draw.between(5, 2 * high), draw.between(4, high));
    let opposite = draw.coin();
    let (net, other) = if opposite { (a - b, a + b) } else { (a + b, a - b) };
    let sign = if opposite { '−' } else { '+' };
    let draft = Draft::new(Answer::quantity(net, "N"))
        .asking(if opposite { "opposite" } else { "same" })
        .places(&[("a", a), ("b", b)])
        .step(1, format!("{a} {sign} {b} = {net} N"))
        .wrong_numbers(&[
            (if opposite { "added-for-subtracted" } else { "subtracted-for-added" }, other),
            ("larger-force-only", a),
            ("smaller-force-only", b),
            ("forces-multiplied", a * b),
        ])
        .proof(if opposite { format!("{net} + {b}") } else { format!("{net} − {b}") }, a);
    Some(draft).filter(|_| a > b)
}
