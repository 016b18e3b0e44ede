//! Increase in per cent.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "percentage-change",
    family: Family::Mathematics,
    classes: 7..=8,
    marks: 2..=3,
    topics: &["percentage", "percent", "fraction disguise", "comparing quantity"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let p = 5 * draw.between(1, 4 * draw.level());
    let old = 20 * draw.between(2, 20 * draw.level());
    let new = old + old * p / 100;
    let percent = |above: i64, below: i64| Number::decimal(Rational::new(100 * above, below));
    let draft = Draft::new(Answer::quantity(p, "%"))
        .places(&[("old", old), ("new", new)])
        .step(1, format!("{} − {} = {}", Number::from(new), Number::from(old), Number::from(new - old)))
        .step(2, format!("{} ÷ {} × 100 = {p}%", Number::from(new - old), Number::from(old)))
        .wrong_numbers(&[
            ("on-the-new-value", percent(new - old, new)),
            ("difference-as-per-cent", Number::from(new - old)),
            ("new-value-in-per-cent", percent(new, old)),
            ("rest-of-hundred", Number::from(100 - p)),
            ("half-of-it", Number::decimal(Rational::new(p, 2))),
        ])
        .proof(format!("{old} × (100 + {p}) ÷ 100"), new);
    Some(draft)
}
