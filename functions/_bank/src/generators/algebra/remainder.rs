//! The remainder theorem.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, brackets, sum_of_terms};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "remainder",
    family: Family::Mathematics,
    classes: 9..=9,
    marks: 2..=3,
    topics: &["polynomial"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let k = draw.one_of(&[-3, -2, -1, 1, 2, 3]);
    let (a, b) = (draw.between(1, draw.level()), draw.between(-4, 5));
    let (c, d) = (draw.between(-6, 6), draw.between(-9, 9));
    let at = |x: i64| ((a * x + b) * x + c) * x + d;
    let [k_text, b_text, c_text, d_text] = [k, b, c, d].map(|n| brackets(Number::from(n)));
    let draft = Draft::new(Answer::number(at(k)))
        .place("polynomial", sum_of_terms(&[(a, "x³"), (b, "x²"), (c, "x"), (d, "")]))
        .place("divisor", sum_of_terms(&[(1, "x"), (-k, "")]))
        .step(1, format!("{} = 0; x = {}", sum_of_terms(&[(1, "x"), (-k, "")]), Number::from(k)))
        .step(
            1,
            format!(
                "p({}) = {a} × {k_text}³ + {b_text} × {k_text}² + {c_text} × {k_text} + {d_text}",
                Number::from(k)
            ),
        )
        .step(
            1,
            format!(
                "{} + {} + {} + {d_text} = {}",
                Number::from(a * k * k * k),
                brackets(Number::from(b * k * k)),
                brackets(Number::from(c * k)),
                Number::from(at(k))
            ),
        )
        .wrong_numbers(&[
            ("sign-of-the-zero", at(-k)),
            ("constant-term-for-remainder", d),
            ("sign-of-remainder", -at(k)),
            ("sum-of-coefficients", at(1)),
        ])
        .proof(
            Number::from(at(k)),
            format!("(({a} × {k_text} + {b_text}) × {k_text} + {c_text}) × {k_text} + {d_text}"),
        );
    Some(draft).filter(|_| b != 0 && c != 0 && d != 0)
}
