//! Products by (a + b)(a − b).

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::Number;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "product-by-identity",
    family: Family::Mathematics,
    classes: 8..=9,
    marks: 1..=2,
    topics: &["identity", "distribute multiply"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (a, b) = (10 * draw.between(3, 10 * draw.level()), draw.between(1, 8));
    let product = Number::from(a * a - b * b);
    let draft = Draft::new(Answer::number(product))
        .places(&[("x", a + b), ("y", a - b)])
        .step(1, format!("({a} + {b}) × ({a} − {b}) = {a}² − {b}²"))
        .step(1, format!("{} − {} = {product}", Number::from(a * a), b * b))
        .wrong_numbers(&[
            ("plus-for-minus", a * a + b * b),
            ("square-of-difference", (a - b) * (a - b)),
            ("last-square-forgotten", a * a),
        ])
        .proof(product, format!("{} × {}", a + b, a - b));
    Some(draft)
}
