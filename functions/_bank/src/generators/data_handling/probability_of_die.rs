//! The probability of a number on one die.

use super::counted;
use crate::generators::Generator;
use crate::generators::draft::Draft;
use crate::generators::draw::Draw;
use crate::numbers::Rational;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "probability-of-die",
    family: Family::Mathematics,
    classes: 9..=10,
    marks: 1..=2,
    topics: &["probability", "mathematic maybe", "chance"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let k = draw.between(1, 6);
    let more = draw.coin();
    let is_in = |face: &i64| if more { *face > k } else { *face < k };
    let faces: Vec<String> = (1..=6).filter(is_in).map(|face| face.to_string()).collect();
    let count = if more { 6 - k } else { k - 1 };
    let wrong = [
        ("the-number-itself-counted", Rational::new(count + 1, 6)),
        ("number-over-all", Rational::new(k, 6)),
    ];
    let draft = counted(&faces, count, 6, &wrong)?.asking(if more { "more" } else { "less" });
    Some(draft.places(&[("k", k)]))
}
