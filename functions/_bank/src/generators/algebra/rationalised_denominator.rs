//! Denominators without roots.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational, Surd};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "rationalised-denominator",
    family: Family::Mathematics,
    classes: 9..=9,
    marks: 2..=3,
    topics: &["number system", "world number"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (p, q) = (draw.between(2, 3 + draw.level()), draw.one_of(&[2, 3, 5, 6, 7]));
    let d = p * p - q;
    if !(2..=14).contains(&d) {
        return None;
    }
    let surd = |p: i64, q_coefficient: i64, d: i64| {
        Number::from(Surd::new(Rational::new(p, d), Rational::new(q_coefficient, d), q))
    };
    let value = surd(p, 1, d);
    let draft = Draft::new(Answer::number(value))
        .place("fraction", format!("1/({p} − √{q})"))
        .step(1, format!("1/({p} − √{q}) × ({p} + √{q})/({p} + √{q})"))
        .step(1, format!("({p} + √{q})/({p}² − {q}) = ({p} + √{q})/{d}"))
        .step(1, format!("({p} + √{q})/{d} = {value}"))
        .wrong_numbers(&[
            ("conjugate-with-the-same-sign", surd(p, -1, d)),
            ("denominator-added", surd(p, 1, p * p + q)),
            ("denominator-dropped", surd(p, 1, 1)),
        ])
        .proof(format!("({value}) × ({p} − √{q})"), 1);
    Some(draft)
}
