//! Sums of unlike fractions.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Rational, equal, gcd, lcm};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "fraction-sum",
    family: Family::Mathematics,
    classes: 6..=7,
    marks: 1..=3,
    topics: &["fraction"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (b, d) = (draw.between(2, 4 + 3 * draw.level()), draw.between(2, 4 + 3 * draw.level()));
    let (a, c) = (draw.between(1, b - 1), draw.between(1, d - 1));
    if b == d || gcd(a, b) > 1 || gcd(c, d) > 1 {
        return None;
    }
    let common = lcm(b, d);
    let (left, right) = (a * common / b, c * common / d);
    let sum = Rational::new(a, b) + Rational::new(c, d);
    let draft = Draft::new(Answer::number(sum))
        .places(&[("a", a), ("b", b), ("c", c), ("d", d)])
        .step(1, format!("{a}/{b} = {left}/{common}; {c}/{d} = {right}/{common}"))
        .step(1, format!("{left}/{common} + {right}/{common} = {}/{common}", left + right))
        .step(1, equal(&[format!("{}/{common}", left + right), sum.to_string()]))
        .wrong_numbers(&[
            ("adds-tops-and-bottoms", Rational::new(a + c, b + d)),
            ("numerators-not-changed", Rational::new(a + c, common)),
            ("multiplies-instead", Rational::new(a * c, b * d)),
            ("subtracts-instead", Rational::new((left - right).abs(), common)),
        ])
        .proof(format!("({sum}) × {b} × {d}"), format!("{a} × {d} + {c} × {b}"));
    Some(draft)
}
