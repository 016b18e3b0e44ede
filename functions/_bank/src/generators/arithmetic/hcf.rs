//! Highest common factor of two numbers.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, equal, gcd, lcm, prime_factors};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "hcf",
    family: Family::Mathematics,
    classes: 6..=10,
    marks: 1..=3,
    topics: &["prime time", "common ground", "real number", "factor"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let g = draw.between(2, 8 * draw.level());
    let (m, n) = (draw.between(2, 9), draw.between(2, 9));
    if m == n || gcd(m, n) > 1 {
        return None;
    }
    let (a, b) = (g * m, g * n);
    let small = (2..=g).find(|p| g % p == 0)?;
    let draft = Draft::new(Answer::number(g))
        .places(&[("a", a), ("b", b)])
        .step(
            2,
            format!("{} = {}; {} = {}", Number::from(a), prime_factors(a), Number::from(b), prime_factors(b)),
        )
        .step(1, equal(&["HCF".to_owned(), prime_factors(g), g.to_string()]))
        .wrong_numbers(&[
            ("one-common-prime-only", small),
            ("lcm-for-hcf", lcm(a, b)),
            ("difference-of-the-numbers", (a - b).abs()),
            ("product-of-the-numbers", a * b),
            ("cofactor-for-hcf", m),
        ])
        .proof(format!("{g} × {}", lcm(a, b)), format!("{a} × {b}"));
    Some(draft)
}
