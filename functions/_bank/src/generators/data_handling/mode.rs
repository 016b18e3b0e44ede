//! The mode.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "mode",
    family: Family::Mathematics,
    classes: 7..=9,
    marks: 1..=1,
    topics: &["data handling", "statistic", "mode"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let mode = draw.between(4, 12);
    let times = draw.between(3, 2 + draw.level());
    let others: Vec<i64> = (0..3 + draw.level()).map(|_| draw.between(2, 15)).collect();
    let mut distinct = others.clone();
    distinct.sort_unstable();
    distinct.dedup();
    if distinct.len() != others.len() || others.contains(&mode) {
        return None;
    }
    let mut values = others.clone();
    for at in 0..times {
        let place = usize::try_from(at * 2).unwrap_or(0).min(values.len());
        values.insert(place, mode);
    }
    let listed = values.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
    let draft = Draft::new(Answer::number(mode))
        .place("values", listed)
        .step(1, format!("{mode} → {times}"))
        .wrong_numbers(&[
            ("frequency-for-mode", times),
            ("largest-for-mode", *distinct.last()?),
            ("smallest-for-mode", distinct[0]),
            ("first-other-value", others[0]),
        ])
        .proof(values.iter().filter(|value| **value == mode).count(), times);
    Some(draft)
}
