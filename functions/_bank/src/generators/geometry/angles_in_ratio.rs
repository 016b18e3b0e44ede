//! Two angles on one side of parallel lines, as a ratio.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{gcd, sum_of_terms};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "angles-in-ratio",
    family: Family::Mathematics,
    classes: 8..=9,
    marks: 1..=3,
    topics: &["quadrilateral"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (m, n) = (draw.between(1, 7), draw.between(2, 13));
    if m >= n || gcd(m, n) > 1 || 180 % (m + n) != 0 {
        return None;
    }
    let x = 180 / (m + n);
    let draft = Draft::new(Answer::quantity(n * x, "°"))
        .asking(if draw.coin() { "parallelogram" } else { "trapezium" })
        .places(&[("m", m), ("n", n)])
        .step(1, format!("{} = 180°", sum_of_terms(&[(m, "x"), (n, "x")])))
        .step(1, format!("x = 180° ÷ {} = {x}°", m + n))
        .step(1, format!("{n} × {x}° = {}°", n * x))
        .wrong_numbers(&[
            ("share-of-the-other", m * x),
            ("one-part-only", x),
            ("from-a-full-turn", 2 * n * x),
            ("right-angle-taken", 90),
        ])
        .proof(format!("{n} × {x} ÷ {n} × {m}"), format!("180 − {n} × {x}"));
    Some(draft)
}
