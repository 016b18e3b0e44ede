//! The arithmetic mean.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "mean",
    family: Family::Mathematics,
    classes: 6..=9,
    marks: 1..=3,
    topics: &["data handling", "statistic", "connecting dots", "mean", "tales dots lines"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let n = draw.between(5, 5 + draw.level());
    let values: Vec<i64> = (0..n).map(|_| draw.between(8, 20 + 25 * draw.level())).collect();
    let sum: i64 = values.iter().sum();
    if sum % n != 0 {
        return None;
    }
    let (low, high) = (*values.iter().min()?, *values.iter().max()?);
    let listed = values.iter().map(i64::to_string).collect::<Vec<_>>();
    let mean = sum / n;
    let draft = Draft::new(Answer::number(mean))
        .place("values", listed.join(", "))
        .step(1, format!("{} = {sum}", listed.join(" + ")))
        .step(1, format!("{sum} ÷ {n} = {mean}"))
        .wrong_numbers(&[
            ("sum-for-mean", Number::from(sum)),
            ("divided-by-one-less", Number::decimal(Rational::new(sum, n - 1))),
            ("middle-of-the-extremes", Number::decimal(Rational::new(low + high, 2))),
            ("range-for-mean", Number::from(high - low)),
        ])
        .proof(values.iter().map(|value| format!("({value} − {mean})")).collect::<Vec<_>>().join(" + "), 0);
    Some(draft)
}
