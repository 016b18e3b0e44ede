//! Differences of unlike fractions.

use super::fraction_sum::{over_common, two_fractions};
use crate::generators::Generator;
use crate::generators::draft::Draft;
use crate::generators::draw::Draw;
use crate::numbers::{Rational, lcm};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "fraction-difference",
    family: Family::Mathematics,
    classes: 6..=7,
    marks: 1..=3,
    topics: &["fraction"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let [(a, b), (c, d)] = two_fractions(draw)?;
    let common = lcm(b, d);
    if b == d || a * d <= c * b {
        return None;
    }
    let difference = Rational::new(a, b) - Rational::new(c, d);
    let draft = over_common([(a, b), (c, d)], -1)
        .places(&[("a", a), ("b", b), ("c", c), ("d", d)])
        .wrong_numbers(&[
            ("subtracts-tops-and-bottoms", Rational::new((a - c).abs(), (b - d).abs())),
            ("numerators-not-changed", Rational::new((a - c).abs(), common)),
            ("adds-instead", Rational::new(a, b) + Rational::new(c, d)),
            ("multiplies-instead", Rational::new(a * c, b * d)),
        ])
        .proof(format!("{difference} + {c}/{d}"), format!("{a}/{b}"));
    Some(draft)
}
