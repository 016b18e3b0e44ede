//! The area of a triangle from its sides.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational, exact_root};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "heron",
    family: Family::Mathematics,
    classes: 9..=9,
    marks: 3..=5,
    topics: &["heron", "measuring space"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    const SIDES: [(i64, i64, i64); 9] = [
        (5, 5, 6),
        (5, 5, 8),
        (10, 13, 13),
        (13, 14, 15),
        (9, 10, 17),
        (7, 15, 20),
        (13, 20, 21),
        (10, 17, 21),
        (12, 17, 25),
    ];
    let (p, q, r) = draw.one_of(&SIDES);
    let k = draw.between(1, draw.level());
    let (a, b, c) = (p * k, q * k, r * k);
    let s = (a + b + c) / 2;
    let product = s * (s - a) * (s - b) * (s - c);
    let area = exact_root(product)?;
    let squares = format!("{a}^2 + {b}^2 + {c}^2");
    let draft = Draft::new(Answer::quantity(area, "cm²"))
        .places(&[("a", a), ("b", b), ("c", c)])
        .step(1, format!("s = ({a} + {b} + {c}) ÷ 2 = {s} cm"))
        .step(1, "A = √(s(s − a)(s − b)(s − c))")
        .step(2, format!("√({s} × {} × {} × {}) = {} cm²", s - a, s - b, s - c, Number::from(area)))
        .wrong_numbers(&[
            ("half-product-of-two-sides", Rational::new(a * b, 2)),
            ("half-product-of-other-sides", Rational::new(b * c, 2)),
            ("perimeter-for-area", Rational::from(2 * s)),
            ("half-perimeter-for-area", Rational::from(s)),
        ])
        .proof(format!("16 × {area}^2"), format!("({squares})^2 − 2 × ({a}^4 + {b}^4 + {c}^4)"));
    Some(draft)
}
