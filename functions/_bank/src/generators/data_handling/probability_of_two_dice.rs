//! The probability of a sum on two dice.

use super::counted;
use crate::generators::Generator;
use crate::generators::draft::Draft;
use crate::generators::draw::Draw;
use crate::numbers::Rational;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "probability-of-two-dice",
    family: Family::Mathematics,
    classes: 9..=10,
    marks: 1..=2,
    topics: &["probability", "mathematic maybe", "chance"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let sum = draw.between(2, 12);
    let pairs: Vec<String> = (1..=6)
        .filter(|one| (1..=6).contains(&(sum - one)))
        .map(|one| format!("({one}, {})", sum - one))
        .collect();
    let count = 6 - (7 - sum).abs();
    let wrong = [
        ("sums-taken-as-equally-likely", Rational::new(1, 11)),
        ("outcomes-of-two-dice-added", Rational::new(count, 12)),
        ("order-left-out", Rational::new((count + 1) / 2, 36)),
    ];
    Some(counted(&pairs, count, 36, &wrong)?.places(&[("sum", sum)]))
}
