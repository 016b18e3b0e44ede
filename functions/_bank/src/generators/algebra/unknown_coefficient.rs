//! A coefficient from a known factor.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, brackets, sum_of_terms};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "unknown-coefficient",
    family: Family::Mathematics,
    classes: 9..=10,
    marks: 2..=3,
    topics: &["polynomial", "quadratic"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (p, s) = (draw.between(-5, 6), draw.between(-3 * draw.level(), 9));
    if p == 0 || s == 0 || p == s || p == -s {
        return None;
    }
    let (k, c) = (-(p + s), p * s);
    let (factor, p_text) = (sum_of_terms(&[(1, "x"), (-p, "")]), brackets(Number::from(p)));
    let constant = sum_of_terms(&[(c, "")]);
    let sign = if c < 0 { "−" } else { "+" };
    let draft = Draft::new(Answer::number(k))
        .place("polynomial", format!("x² + kx {sign} {}", constant.trim_start_matches('−')))
        .place("factor", factor)
        .step(1, format!("p({}) = 0", Number::from(p)))
        .step(1, format!("{p_text}² + {p_text}k + {} = 0", brackets(Number::from(c))))
        .step(1, format!("k = −({p_text}² + {}) ÷ {p_text} = {}", brackets(Number::from(c)), Number::from(k)))
        .wrong_numbers(&[
            ("sign-of-coefficient", -k),
            ("other-zero-for-coefficient", s),
            ("zero-for-coefficient", p),
            ("constant-for-coefficient", c),
        ])
        .proof(
            format!("{p_text}^2 + {} × {p_text} + {}", brackets(Number::from(k)), brackets(Number::from(c))),
            0,
        );
    Some(draft)
}
