//! Resistors in series.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::Rational;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "resistors-in-series",
    family: Family::Science,
    classes: 10..=10,
    marks: 1..=3,
    topics: &["electricity"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let [a, b, c] = [0; 3].map(|_: i64| draw.between(2, 6 * draw.level()));
    let (sum, i) = (a + b + c, draw.between(1, 3));
    let volts = sum * i;
    let draft = Draft::new(Answer::quantity(i, "A"))
        .places(&[("a", a), ("b", b), ("c", c), ("v", volts)])
        .step(1, format!("R = {a} + {b} + {c} = {sum} Ω"))
        .step(1, format!("I = V/R = {volts} ÷ {sum} = {i} A"))
        .wrong_numbers(&[
            ("one-resistor-only", Rational::new(volts, a)),
            ("current-of-the-last-resistor", Rational::new(volts, c)),
            ("resistance-for-current", Rational::from(sum)),
            ("two-resistors-only", Rational::new(volts, a + b)),
        ])
        .proof(format!("{i} × {a} + {i} × {b} + {i} × {c}"), volts);
    Some(draft)
}
