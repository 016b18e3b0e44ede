//! Two resistors in parallel.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::Rational;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "resistors-in-parallel",
    family: Family::Science,
    classes: 10..=10,
    marks: 2..=3,
    topics: &["electricity"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (a, b) = (draw.between(2, 12 * draw.level()), draw.between(3, 12 * draw.level()));
    if a == b || (a * b) % (a + b) != 0 {
        return None;
    }
    let r = a * b / (a + b);
    let draft = Draft::new(Answer::quantity(r, "Ω"))
        .places(&[("a", a), ("b", b)])
        .step(1, "1/R = 1/R₁ + 1/R₂")
        .step(1, format!("1/R = 1/{a} + 1/{b} = 1/{r}"))
        .step(1, format!("R = {r} Ω"))
        .wrong_numbers(&[
            ("series-for-parallel", Rational::from(a + b)),
            ("reciprocal-not-taken", Rational::new(1, r)),
            ("difference-of-the-resistances", Rational::from((a - b).abs())),
            ("mean-of-the-resistances", Rational::new(a + b, 2)),
            ("product-for-resistance", Rational::from(a * b)),
        ])
        .proof(format!("{r} × ({a} + {b})"), format!("{a} × {b}"));
    Some(draft)
}
