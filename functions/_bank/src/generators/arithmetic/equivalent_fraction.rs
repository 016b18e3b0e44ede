//! A missing number in equivalent fractions.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::gcd;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "equivalent-fraction",
    family: Family::Mathematics,
    classes: 6..=6,
    marks: 1..=2,
    topics: &["fraction"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let b = draw.between(3, 5 + 2 * draw.level());
    let (a, k) = (draw.between(1, b - 1), draw.between(2, 4 + 2 * draw.level()));
    if gcd(a, b) > 1 {
        return None;
    }
    let above = draw.coin();
    let (known, asked) = if above { (b, a) } else { (a, b) };
    let (wide, value) = (known * k, asked * k);
    let draft = Draft::new(Answer::number(value))
        .place("equation", if above { format!("{a}/{b} = …/{wide}") } else { format!("{a}/{b} = {wide}/…") })
        .step(1, format!("{wide} ÷ {known} = {k}"))
        .step(1, format!("{asked} × {k} = {value}"))
        .wrong_numbers(&[
            ("difference-added", asked + wide - known),
            ("number-kept", asked),
            ("factor-for-the-number", k),
            ("known-number-multiplied", wide),
        ])
        .proof(if above { format!("{value}/{wide}") } else { format!("{wide}/{value}") }, format!("{a}/{b}"));
    Some(draft)
}
