//! One trigonometric ratio from another.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::Rational;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "ratio-from-ratio",
    family: Family::Mathematics,
    classes: 10..=10,
    marks: 2..=3,
    topics: &["introduction trigonometry", "=trigonometry"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (a, b, c) =
        draw.one_of(&[(3, 4, 5), (4, 3, 5), (5, 12, 13), (12, 5, 13), (8, 15, 17), (15, 8, 17), (7, 24, 25)]);
    let ratio = Rational::new;
    let side = format!("√({c}² − {a}²) = √{} = {b}", b * b);
    let draft = if draw.coin() {
        Draft::new(Answer::number(ratio(b, c)))
            .asking("cosine")
            .step(1, side)
            .step(2, format!("cos A = {b}/{c}"))
            .wrong_numbers(&[
                ("complement-to-one", ratio(c - a, c)),
                ("tangent-for-cosine", ratio(a, b)),
                ("reciprocal", ratio(c, b)),
            ])
            .proof(format!("({b}/{c})^2 + ({a}/{c})^2"), 1)
    } else {
        Draft::new(Answer::number(ratio(a, b)))
            .asking("tangent")
            .step(1, side)
            .step(2, format!("tan A = {a}/{b}"))
            .wrong_numbers(&[
                ("cotangent-for-tangent", ratio(b, a)),
                ("cosine-for-tangent", ratio(b, c)),
                ("secant-for-tangent", ratio(c, b)),
            ])
            .proof(format!("1 + ({a}/{b})^2"), format!("1/(1 − ({a}/{c})^2)"))
    };
    Some(draft.place("sine", ratio(a, c)))
}
