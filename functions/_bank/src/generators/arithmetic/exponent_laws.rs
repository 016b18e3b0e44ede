//! Laws of exponents on one base.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::power;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "exponent-laws",
    family: Family::Mathematics,
    classes: 7..=9,
    marks: 1..=2,
    topics: &["exponent", "power"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let base = draw.one_of(&[2, 3, 5, 7]);
    let (m, n, p) = (draw.between(2, 4 + draw.level()), draw.between(2, 5), draw.between(1, 4));
    let exponent = m + n - p;
    let written = |exponent| Answer::Notation(power(base, exponent));
    let draft = Draft::new(written(exponent))
        .place("expression", format!("{} × {} ÷ {}", power(base, m), power(base, n), power(base, p)))
        .step(1, format!("{} × {} = {}", power(base, m), power(base, n), power(base, m + n)))
        .step(1, format!("{} ÷ {} = {}", power(base, m + n), power(base, p), power(base, exponent)))
        .wrong("exponents-multiplied", written(m * n - p))
        .wrong("exponent-of-divisor-added", written(m + n + p))
        .wrong("bases-multiplied", Answer::Notation(power(base * base, exponent)))
        .proof(format!("{base}^{exponent} × {base}^{p}"), format!("{base}^{m} × {base}^{n}"));
    Some(draft).filter(|_| m * n > p && exponent > 1)
}
