//! A percentage of a quantity.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "percentage-of",
    family: Family::Mathematics,
    classes: 7..=8,
    marks: 1..=2,
    topics: &["percentage", "percent", "fraction disguise", "comparing quantity"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let step = draw.by_level(10, 5, 4);
    let p = step * draw.between(1, 80 / step);
    let n = 20 * draw.between(3, 15 * draw.level());
    let part = Rational::new(p * n, 100);
    let decimal = |above: i64, below: i64| Number::decimal(Rational::new(above, below));
    let draft = Draft::new(Answer::number(Number::decimal(part)))
        .places(&[("p", p), ("n", n)])
        .step(1, format!("{p}/100 × {}", Number::from(n)))
        .step(1, format!("{p}/100 × {} = {}", Number::from(n), Number::decimal(part)))
        .wrong_numbers(&[
            ("rest-for-part", decimal((100 - p) * n, 100)),
            ("divided-by-ten", decimal(p * n, 10)),
            ("divided-by-the-percentage", decimal(n, p)),
            ("added-to-the-whole", decimal((100 + p) * n, 100)),
        ])
        .proof(format!("{} ÷ {n} × 100", Number::decimal(part)), p);
    Some(draft)
}
