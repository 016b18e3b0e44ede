//! The probability of heads with two or three coins.

use super::counted;
use crate::generators::Generator;
use crate::generators::draft::Draft;
use crate::generators::draw::Draw;
use crate::numbers::Rational;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "probability-of-heads",
    family: Family::Mathematics,
    classes: 9..=10,
    marks: 1..=2,
    topics: &["probability", "mathematic maybe", "chance"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let n = draw.between(2, 3);
    let (k, exactly) = (draw.between(1, n), draw.coin());
    let all = 1_i64 << n;
    let heads = |outcome: i64| i64::from(outcome.count_ones());
    let is_in = |outcome: &i64| if exactly { heads(*outcome) == k } else { heads(*outcome) >= k };
    let written =
        |outcome: i64| (0..n).map(|coin| if outcome >> coin & 1 == 1 { 'H' } else { 'T' }).collect();
    let outcomes: Vec<String> = (0..all).filter(is_in).map(written).collect();
    let ways = |heads: i64| if heads == 0 || heads == n { 1 } else { n };
    let count = if exactly { ways(k) } else { (k..=n).map(ways).sum() };
    let wrong = [
        ("counts-taken-as-equally-likely", Rational::new(1, n + 1)),
        ("heads-over-coins", Rational::new(k, n)),
        ("one-outcome-too-few", Rational::new(count - 1, all)),
        ("one-outcome-too-many", Rational::new(count + 1, all)),
    ];
    let draft = counted(&outcomes, count, all, &wrong)?.asking(if exactly { "exactly" } else { "at-least" });
    Some(draft.places(&[("n", n), ("k", k)])).filter(|_| exactly || k < n)
}
