//! The median.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "median",
    family: Family::Mathematics,
    classes: 7..=9,
    marks: 1..=2,
    topics: &["data handling", "statistic", "connecting dots", "median", "tales dots lines"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let n = 2 * draw.between(2, 2 + draw.level()) + 1;
    let values: Vec<i64> = (0..n).map(|_| draw.between(10, 30 + 20 * draw.level())).collect();
    let mut sorted = values.clone();
    sorted.sort_unstable();
    sorted.dedup();
    if i64::try_from(sorted.len()) != Ok(n) {
        return None;
    }
    let middle = values.len() / 2;
    let median = sorted[middle];
    let text = |values: &[i64]| values.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
    let draft = Draft::new(Answer::number(median))
        .place("values", text(&values))
        .step(1, text(&sorted))
        .step(1, format!("({n} + 1)/2 = {}; {median}", middle + 1))
        .wrong_numbers(&[
            ("middle-of-the-unsorted-list", Number::from(values[middle])),
            (
                "middle-of-the-extremes",
                Number::decimal(Rational::new(sorted[0] + sorted[sorted.len() - 1], 2)),
            ),
            ("next-in-order", Number::from(sorted[middle + 1])),
            ("one-before-in-order", Number::from(sorted[middle - 1])),
        ])
        .proof(
            values.iter().filter(|value| **value < median).count(),
            values.iter().filter(|value| **value > median).count(),
        );
    Some(draft)
}
