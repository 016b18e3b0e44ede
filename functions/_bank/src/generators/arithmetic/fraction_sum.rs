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
    let [(a, b), (c, d)] = two_fractions(draw)?;
    if b == d {
        return None;
    }
    let common = lcm(b, d);
    let (left, right) = (a * common / b, c * common / d);
    let sum = Rational::new(a, b) + Rational::new(c, d);
    let draft = over_common([(a, b), (c, d)], 1)
        .places(&[("a", a), ("b", b), ("c", c), ("d", d)])
        .wrong_numbers(&[
            ("adds-tops-and-bottoms", Rational::new(a + c, b + d)),
            ("numerators-not-changed", Rational::new(a + c, common)),
            ("multiplies-instead", Rational::new(a * c, b * d)),
            ("subtracts-instead", Rational::new((left - right).abs(), common)),
        ])
        .proof(format!("({sum}) × {b} × {d}"), format!("{a} × {d} + {c} × {b}"));
    Some(draft)
}

/// Two proper fractions in lowest terms.
pub(super) fn two_fractions(draw: &mut Draw<'_>) -> Option<[(i64, i64); 2]> {
    let (b, d) = (draw.between(2, 4 + 3 * draw.level()), draw.between(2, 4 + 3 * draw.level()));
    let (a, c) = (draw.between(1, b - 1), draw.between(1, d - 1));
    (gcd(a, b) == 1 && gcd(c, d) == 1).then_some([(a, b), (c, d)])
}

/// The first fraction plus the second, or minus it by the sign: both over the common denominator, a
/// step each where nothing is to be reduced behind it; their sum; and that reduced.
pub(super) fn over_common(fractions: [(i64, i64); 2], sign: i64) -> Draft {
    let common = lcm(fractions[0].1, fractions[1].1);
    let [one, other] = fractions.map(|(above, below)| above * common / below);
    let value = Rational::new(one + sign * other, common);
    let draft = Draft::new(Answer::number(value));
    let widened =
        |(above, below): (i64, i64)| format!("{above}/{below} = {}/{common}", above * common / below);
    let worked_out = format!("{}/{common}", one + sign * other);
    let operator = if sign < 0 { '−' } else { '+' };
    let working = format!("{one}/{common} {operator} {other}/{common} = {worked_out}");
    if worked_out != value.to_string() {
        let both = fractions.map(widened).join("; ");
        return draft.step(1, both).step(1, working).step(1, equal(&[worked_out, value.to_string()]));
    }
    let narrow: Vec<(i64, i64)> = fractions.into_iter().filter(|(_, below)| *below != common).collect();
    let weight = if narrow.len() == 1 { 2 } else { 1 };
    narrow.into_iter().fold(draft, |draft, fraction| draft.step(weight, widened(fraction))).step(1, working)
}
