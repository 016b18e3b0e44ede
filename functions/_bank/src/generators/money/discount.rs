//! Price after a discount.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::Number;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "discount",
    family: Family::Mathematics,
    classes: 7..=8,
    marks: 2..=3,
    topics: &["percentage", "discount", "comparing quantity", "fraction disguise"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let d = 5 * draw.between(1, 3 * draw.level());
    let price = 20 * draw.between(5, 40 * draw.level());
    let less = price * d / 100;
    let (marked, off, paid) = (Number::from(price), Number::from(less), Number::from(price - less));
    let draft = Draft::new(Answer::quantity(paid, "₹"))
        .places(&[("price", price), ("d", d)])
        .step(1, format!("{d}/100 × {marked} = ₹{off}"))
        .step(1, format!("{marked} − {off} = ₹{paid}"))
        .wrong_numbers(&[
            ("discount-for-price", less),
            ("discount-added", price + less),
            ("per-cent-as-rupees", price - d),
        ])
        .proof(paid, format!("{price} × (100 − {d}) ÷ 100"));
    Some(draft)
}
