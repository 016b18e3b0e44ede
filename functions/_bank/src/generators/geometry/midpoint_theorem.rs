//! The segment that joins mid-points of the sides of a triangle.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "midpoint-theorem",
    family: Family::Mathematics,
    classes: 9..=9,
    marks: 1..=2,
    topics: &["quadrilateral"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let [a, b, c] = [0; 3].map(|_| draw.between(5, 6 + 5 * draw.level()));
    let one = draw.coin();
    let whole = if one { a } else { a + b + c };
    if a >= b + c || b >= a + c || c >= a + b {
        return None;
    }
    let quarters = |n: i64| Number::decimal(Rational::new(n * whole, 4));
    let half = quarters(2);
    let draft = Draft::new(Answer::quantity(half, "cm"))
        .asking(if one { "side" } else { "perimeter" })
        .places(&[("a", a), ("b", b), ("c", c)])
        .step(1, if one { "DE = BC ÷ 2".to_owned() } else { format!("{a} + {b} + {c} = {whole} cm") })
        .step(1, format!("{whole} ÷ 2 = {half} cm"))
        .wrong_numbers(&[
            ("not-halved", quarters(4)),
            ("quarter-as-of-the-area", quarters(1)),
            ("doubled-for-halved", quarters(8)),
        ])
        .proof(format!("{half} + {half}"), whole);
    Some(draft)
}
