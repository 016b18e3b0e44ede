//! Least common multiple of two numbers.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{equal, gcd, grouped, lcm, prime_factors};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "lcm",
    family: Family::Mathematics,
    classes: 6..=10,
    marks: 1..=3,
    topics: &["prime time", "common ground", "real number", "multiple"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let g = draw.between(2, 4 * draw.level());
    let (m, n) = (draw.between(2, 7), draw.between(2, 7));
    if m == n || gcd(m, n) > 1 {
        return None;
    }
    let (a, b) = (g * m, g * n);
    let least = lcm(a, b);
    let draft = Draft::new(Answer::number(least))
        .places(&[("a", a), ("b", b)])
        .step(2, format!("{a} = {}; {b} = {}", prime_factors(a), prime_factors(b)))
        .step(1, equal(&["LCM".to_owned(), prime_factors(least), grouped(least)]))
        .wrong_numbers(&[
            ("product-of-the-numbers", a * b),
            ("hcf-for-lcm", g),
            ("sum-of-the-numbers", a + b),
            ("larger-number", a.max(b)),
        ])
        .proof(format!("{least} ÷ {a} × {least} ÷ {b}"), m * n);
    Some(draft)
}
