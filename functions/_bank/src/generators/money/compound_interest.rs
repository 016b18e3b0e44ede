//! Compound interest for two years.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "compound-interest",
    family: Family::Mathematics,
    classes: 8..=9,
    marks: 3..=4,
    topics: &["interest", "comparing quantity", "fraction disguise"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (p, r) = (400 * draw.between(5, 25 * draw.level()), 5 * draw.between(1, 4));
    let first = p * r / 100;
    let second = Rational::new((p + first) * r, 100);
    let interest = second + first.into();
    let amount = interest + p.into();
    let [money, one, two, all, end] = [p.into(), first.into(), second, interest, amount].map(Number::decimal);
    let draft = Draft::new(Answer::quantity(all, "₹"))
        .places(&[("p", p), ("r", r)])
        .step(1, format!("{money} × {r} ÷ 100 = ₹{one}"))
        .step(1, format!("({money} + {one}) × {r} ÷ 100 = ₹{two}"))
        .step(1, format!("{one} + {two} = ₹{all}"))
        .wrong_numbers(&[
            ("simple-for-compound", Number::from(2 * first)),
            ("amount-for-interest", end),
            ("one-year-only", one),
        ])
        .proof(format!("{p} × (1 + {r}/100)^2 − {p}"), all);
    Some(draft)
}
