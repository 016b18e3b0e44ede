//! Simple interest.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::Number;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "simple-interest",
    family: Family::Mathematics,
    classes: 7..=8,
    marks: 2..=3,
    topics: &["interest", "comparing quantity", "fraction disguise"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (p, r, t) = (100 * draw.between(5, 50 * draw.level()), draw.between(3, 12), draw.between(2, 5));
    let interest = p * r * t / 100;
    let (principal, earned) = (Number::from(p), Number::from(interest));
    let draft = Draft::new(Answer::quantity(interest, "₹"))
        .places(&[("p", p), ("r", r), ("t", t)])
        .step(1, "I = P × R × T ÷ 100")
        .step(1, format!("I = {principal} × {r} × {t} ÷ 100"))
        .step(1, format!("I = {principal} × {r} × {t} ÷ 100 = ₹{earned}"))
        .wrong_numbers(&[
            ("amount-for-interest", p + interest),
            ("one-year-only", interest / t),
            ("not-divided-by-hundred", interest * 100),
        ])
        .proof(earned, vec![format!("{p} × {r} ÷ 100"); usize::try_from(t).unwrap_or(0)].join(" + "));
    Some(draft)
}
