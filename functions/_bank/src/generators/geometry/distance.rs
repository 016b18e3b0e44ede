//! The distance between two points.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, brackets};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "distance",
    family: Family::Mathematics,
    classes: 9..=10,
    marks: 2..=3,
    topics: &["coordinate"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (m, n, hypotenuse) = draw.one_of(&[(3, 4, 5), (6, 8, 10), (5, 12, 13), (8, 15, 17)]);
    let (x, y) = (draw.between(-6, 5), draw.between(-5, 6));
    let (dx, dy) = if draw.coin() { (m, -n) } else { (n, m) };
    let [p, q, r, s] = [x, y, x + dx, y + dy].map(Number::from);
    let draft = Draft::new(Answer::quantity(hypotenuse, "units"))
        .place("a", format!("({p}, {q})"))
        .place("b", format!("({r}, {s})"))
        .step(1, "d = √((x₂ − x₁)² + (y₂ − y₁)²)")
        .step(1, format!("d = √(({r} − {})² + ({s} − {})²)", brackets(p), brackets(q)))
        .step(1, format!("√({} + {}) = {hypotenuse}", dx * dx, dy * dy))
        .wrong_numbers(&[
            ("legs-added", m + n),
            ("root-forgotten", hypotenuse * hypotenuse),
            ("legs-subtracted", n - m),
        ])
        .proof(format!("{hypotenuse} × {hypotenuse}"), format!("{m} × {m} + {n} × {n}"));
    Some(draft)
}
