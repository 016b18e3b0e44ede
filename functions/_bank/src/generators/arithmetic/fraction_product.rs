//! Products of fractions.

use super::fraction_sum::two_fractions;
use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Rational, equal};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "fraction-product",
    family: Family::Mathematics,
    classes: 7..=7,
    marks: 1..=3,
    topics: &["fraction"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let [(a, b), (c, d)] = two_fractions(draw)?;
    if (a, b) == (c, d) {
        return None;
    }
    let product = Rational::new(a * c, b * d);
    let draft = Draft::new(Answer::number(product))
        .places(&[("a", a), ("b", b), ("c", c), ("d", d)])
        .step(1, format!("({a}/{b}) × ({c}/{d}) = ({a} × {c})/({b} × {d})"))
        .step(
            1,
            equal(&[format!("({a} × {c})/({b} × {d})"), format!("{}/{}", a * c, b * d), product.to_string()]),
        )
        .wrong_numbers(&[
            ("multiplies-crosswise", Rational::new(a * d, b * c)),
            ("adds-the-denominators", Rational::new(a * c, b + d)),
            ("adds-instead", Rational::new(a, b) + Rational::new(c, d)),
            ("adds-the-numerators", Rational::new(a + c, b * d)),
        ])
        .proof(format!("{product} ÷ {c} × {d}"), format!("{a}/{b}"));
    Some(draft)
}
