//! Roots of perfect cubes.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, equal, prime_factors};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "cube-root",
    family: Family::Mathematics,
    classes: 8..=9,
    marks: 1..=2,
    topics: &["cube"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let k = draw.between(3 * draw.level() + 1, 6 * draw.level() + 8);
    let cube = Number::from(k * k * k);
    let draft = Draft::new(Answer::number(k))
        .place("n", cube)
        .step(1, format!("{cube} = {}", prime_factors(k * k * k)))
        .step(1, equal(&[format!("∛{cube}"), prime_factors(k), k.to_string()]))
        .wrong_numbers(&[("square-for-cube-root", k * k), ("triple-for-cube", 3 * k), ("slip-by-one", k - 1)])
        .proof(format!("{k} × {k} × {k}"), cube);
    Some(draft)
}
