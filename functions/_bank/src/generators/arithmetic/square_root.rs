//! Roots of perfect squares.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, equal, prime_factors};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "square-root",
    family: Family::Mathematics,
    classes: 7..=9,
    marks: 1..=2,
    topics: &["square"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let k = draw.between(10 * draw.level() + 2, 25 * draw.level() + 10);
    if k % 10 == 0 {
        return None;
    }
    let square = Number::from(k * k);
    let draft = Draft::new(Answer::number(k))
        .place("n", square)
        .step(1, format!("{square} = {}", prime_factors(k * k)))
        .step(1, equal(&[format!("√{square}"), prime_factors(k), k.to_string()]))
        .wrong_numbers(&[
            ("last-digit-by-complement", k - k % 10 + (10 - k % 10)),
            ("tens-digit-one-too-large", k + 10),
            ("tens-digit-one-too-small", k - 10),
            ("slip-by-two", k + 2),
        ])
        .proof(format!("({k} − 1) × ({k} + 1) + 1"), square);
    Some(draft)
}
