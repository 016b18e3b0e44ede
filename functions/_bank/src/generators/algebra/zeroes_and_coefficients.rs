//! Sum or product of the zeroes of a polynomial.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational, brackets, gcd, sum_of_terms};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "zeroes-and-coefficients",
    family: Family::Mathematics,
    classes: 10..=10,
    marks: 1..=2,
    topics: &["polynomial"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let a = draw.between(1, draw.level());
    let (p, s) = (draw.between(-7, 8), draw.between(-6, 7));
    if p == 0 || s == 0 || p + s == 0 || gcd(p, a) > 1 {
        return None;
    }
    let (b, c) = (-p - a * s, p * s);
    let (sum, product) = (Rational::new(-b, a), Rational::new(c, a));
    let [b_text, c_text] = [b, c].map(|n| brackets(Number::from(n)));
    let polynomial = sum_of_terms(&[(a, "x²"), (b, "x"), (c, "")]);
    let draft = if draw.coin() {
        Draft::new(Answer::number(sum))
            .asking("sum")
            .step(1, "α + β = −b/a")
            .step(1, format!("α + β = −{b_text}/{a} = {sum}"))
            .wrong_numbers(&[
                ("sign-forgotten", -sum),
                ("product-for-sum", product),
                ("minus-product-for-sum", -product),
                ("reciprocal", Rational::new(a, b)),
            ])
            .proof(sum, format!("{p}/{a} + {s}"))
    } else {
        Draft::new(Answer::number(product))
            .asking("product")
            .step(1, "αβ = c/a")
            .step(1, format!("αβ = {c_text}/{a} = {product}"))
            .wrong_numbers(&[
                ("sign-changed", -product),
                ("sum-for-product", sum),
                ("minus-sum-for-product", -sum),
                ("reciprocal", Rational::new(a, c)),
            ])
            .proof(product, format!("{p}/{a} * {s}"))
    };
    Some(draft.place("polynomial", polynomial)).filter(|_| b != 0)
}
