//! A side of a right-angled triangle.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::Number;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "pythagoras",
    family: Family::Mathematics,
    classes: 7..=10,
    marks: 2..=3,
    topics: &["pythagoras", "triangle property"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (p, q, r) = draw.one_of(&[(3, 4, 5), (5, 12, 13), (8, 15, 17), (7, 24, 25), (20, 21, 29)]);
    let k = draw.between(1, draw.level());
    let (a, b, c) = (p * k, q * k, r * k);
    let draft = if draw.coin() {
        Draft::new(Answer::quantity(c, "cm"))
            .asking("hypotenuse")
            .places(&[("a", a), ("b", b)])
            .step(1, "c² = a² + b²")
            .step(1, format!("c² = {a}² + {b}² = {}", Number::from(c * c)))
            .step(1, format!("c = √{} = {c} cm", Number::from(c * c)))
            .wrong_numbers(&[("sides-added", a + b), ("root-forgotten", c * c), ("sides-subtracted", b - a)])
            .proof(format!("({c} − {a}) × ({c} + {a})"), b * b)
    } else {
        Draft::new(Answer::quantity(b, "cm"))
            .asking("leg")
            .places(&[("a", a), ("c", c)])
            .step(1, "b² = c² − a²")
            .step(1, format!("b² = {c}² − {a}² = {}", Number::from(b * b)))
            .step(1, format!("b = √{} = {b} cm", Number::from(b * b)))
            .wrong_numbers(&[("sides-subtracted", c - a), ("root-forgotten", b * b), ("sides-added", c + a)])
            .proof(format!("{a} × {a} + {b} × {b}"), c * c)
    };
    Some(draft)
}
