//! Sums and differences of integers.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::Number;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "integer-sum",
    family: Family::Mathematics,
    classes: 6..=7,
    marks: 1..=2,
    topics: &["integer", "other side zero"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let high = 10 * draw.level();
    let (a, b, c) = (draw.between(3, high), draw.between(2, high), draw.between(2, high));
    let sum = b + c - a;
    let draft = Draft::new(Answer::number(sum))
        .place("expression", format!("(−{a}) + {b} − (−{c})"))
        .step(1, format!("(−{a}) + {b} − (−{c}) = −{a} + {b} + {c}"))
        .step(1, format!("−{a} + {b} + {c} = {}", Number::from(sum)))
        .wrong_numbers(&[
            ("minus-before-bracket-kept", b - a - c),
            ("first-sign-dropped", a + b + c),
            ("all-signs-negative", -a - b - c),
            ("sign-of-result", -sum),
        ])
        .proof(Number::from(sum), format!("{b} − ({a} − {c})"));
    Some(draft)
}
