//! A term of an arithmetic progression.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, brackets};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "ap-term",
    family: Family::Mathematics,
    classes: 9..=10,
    marks: 1..=3,
    topics: &["arithmetic progression", "sequence progression"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (a, d) = (draw.between(-5 * draw.level(), 20), draw.between(-6, 9));
    let n = draw.between(8, 10 + 10 * draw.level());
    if d == 0 {
        return None;
    }
    let term = a + (n - 1) * d;
    let d_text = brackets(Number::from(d));
    let [first, second, third] = [a, a + d, a + 2 * d].map(Number::from);
    let draft = Draft::new(Answer::number(term))
        .place("terms", format!("{first}, {second}, {third}, …"))
        .places(&[("n", n)])
        .step(1, format!("a = {first}; d = {} − {} = {}", second, brackets(first), Number::from(d)))
        .step(1, "aₙ = a + (n − 1)d")
        .step(1, format!("{first} + ({n} − 1) × {d_text} = {}", Number::from(term)))
        .wrong_numbers(&[
            ("one-difference-too-many", term + d),
            ("first-term-forgotten", (n - 1) * d),
            ("sign-of-difference", a - (n - 1) * d),
            ("one-difference-too-few", term - d),
        ])
        .proof(format!("{} − {n} × {d_text}", Number::from(term)), Number::from(a - d));
    Some(draft)
}
