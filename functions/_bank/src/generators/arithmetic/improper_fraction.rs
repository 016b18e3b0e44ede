//! An improper fraction as a mixed one.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::gcd;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "improper-fraction",
    family: Family::Mathematics,
    classes: 6..=6,
    marks: 1..=2,
    topics: &["fraction"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let b = draw.between(3, 5 + 2 * draw.level());
    let (whole, rest) = (draw.between(2, 3 + 2 * draw.level()), draw.between(1, b - 1));
    if whole == rest || gcd(rest, b) > 1 {
        return None;
    }
    let above = whole * b + rest;
    let mixed = |whole: i64, above: i64, below: i64| Answer::Notation(format!("{whole} {above}/{below}"));
    let draft = Draft::new(mixed(whole, rest, b))
        .places(&[("above", above), ("b", b)])
        .step(1, format!("{above} = {b} × {whole} + {rest}"))
        .step(1, format!("{above}/{b} = {whole} {rest}/{b}"))
        .wrong("remainder-for-whole", mixed(rest, whole, b))
        .wrong("one-whole-too-many", mixed(whole + 1, rest, b))
        .wrong("quotient-for-denominator", mixed(b, rest, whole))
        .wrong("rest-of-the-next-whole", mixed(whole, b - rest, b))
        .proof(format!("{whole} + {rest}/{b}"), format!("{above}/{b}"));
    Some(draft)
}
