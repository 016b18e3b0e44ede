//! Sharing in a ratio.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational, gcd};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "ratio-sharing",
    family: Family::Mathematics,
    classes: 6..=8,
    marks: 2..=3,
    topics: &["ratio", "proportion", "proportional reasoning"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (a, b) = (draw.between(1, 7), draw.between(2, 8));
    let part = 10 * draw.between(2, 15 * draw.level());
    if a == b || gcd(a, b) > 1 {
        return None;
    }
    let (total, share) = (part * (a + b), part * a);
    let (whole, first) = (Number::from(total), Number::from(share));
    let draft = Draft::new(Answer::quantity(share, "₹"))
        .places(&[("total", total), ("a", a), ("b", b)])
        .step(1, format!("{a} + {b} = {}", a + b))
        .step(1, format!("{whole} ÷ {} = {}", a + b, Number::from(part)))
        .step(1, format!("{a} × {} = ₹{first}", Number::from(part)))
        .wrong_numbers(&[
            ("share-of-the-other", Rational::from(part * b)),
            ("one-part-only", Rational::from(part)),
            ("divided-by-own-number", Rational::new(total, a)),
            ("equal-shares", Rational::new(total, 2)),
        ])
        .proof(format!("{first} ÷ {a} × {b} + {first}"), whole);
    Some(draft)
}
