//! Quadratic equations with rational roots.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational, brackets, exact_root, gcd, sum_of_terms};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "quadratic-roots",
    family: Family::Mathematics,
    classes: 9..=10,
    marks: 2..=4,
    topics: &["quadratic"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let a = draw.between(1, draw.level());
    let (p, s) = (draw.between(-6, 7), draw.between(-7, 8));
    let (one, other) = (Rational::new(p, a), Rational::from(s));
    if p == 0 || s == 0 || gcd(p, a) > 1 || one == other || one == -other {
        return None;
    }
    let (b, c) = (-p - a * s, p * s);
    if b == 0 {
        return None;
    }
    let d = b * b - 4 * a * c;
    let root = exact_root(d)?;
    let [b_text, c_text, minus_b] = [b, c, -b].map(|n| brackets(Number::from(n)));
    let both = |x: Rational, y: Rational| Answer::Both(x.into(), y.into());
    let at = |x: Rational| format!("{a} × ({x})^2 + {b_text} × ({x}) + {c_text}");
    let draft = Draft::new(both(one, other))
        .place("equation", format!("{} = 0", sum_of_terms(&[(a, "x²"), (b, "x"), (c, "")])))
        .step(1, format!("D = b² − 4ac = {b_text}² − 4 × {a} × {c_text} = {d}"))
        .step(1, format!("x = (−b ± √D)/2a = ({minus_b} ± {root})/{}", 2 * a))
        .step(1, format!("x = {one}; x = {other}"))
        .wrong("signs-of-both-roots", both(-one, -other))
        .wrong("sign-of-one-root", both(-one, other))
        .wrong("sign-of-other-root", both(one, -other))
        .wrong("not-divided-by-a", both(Rational::from(p), other))
        .proof(at(one), 0)
        .proof(at(other), 0);
    Some(draft)
}
