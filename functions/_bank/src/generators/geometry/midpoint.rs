//! The mid-point of a line segment.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational, brackets};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "midpoint",
    family: Family::Mathematics,
    classes: 9..=10,
    marks: 1..=2,
    topics: &["coordinate"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let [a, b, c, d] = [0; 4].map(|_: i64| draw.between(-9, 9));
    let half = |n: i64| Rational::new(n, 2);
    let (x, y) = (half(a + c), half(b + d));
    if a == c || b == d || x == y || (draw.level() < 3 && !(x.is_whole() && y.is_whole())) {
        return None;
    }
    let [p, q, r, s] = [a, b, c, d].map(Number::from);
    let pair = |x: Rational, y: Rational| Answer::Pair(x.into(), y.into());
    let draft = Draft::new(pair(x, y))
        .place("a", format!("({p}, {q})"))
        .place("b", format!("({r}, {s})"))
        .step(1, format!("x = ({p} + {})/2 = {x}", brackets(r)))
        .step(1, format!("y = ({q} + {})/2 = {y}", brackets(s)))
        .wrong("half-of-the-difference", pair(half(c - a), half(d - b)))
        .wrong("half-forgotten", pair((a + c).into(), (b + d).into()))
        .wrong("coordinates-exchanged", pair(y, x))
        .proof(format!("2 × ({x}) − {}", brackets(p)), r)
        .proof(format!("2 × ({y}) − {}", brackets(q)), s);
    Some(draft)
}
