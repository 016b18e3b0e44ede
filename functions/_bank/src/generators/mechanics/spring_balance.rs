//! What a spring balance shows.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "spring-balance",
    family: Family::Science,
    classes: 8..=8,
    marks: 1..=2,
    topics: &["exploring force"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (n, whole) = (draw.one_of(&[2, 4, 5, 10]), draw.between(1, 5 * draw.level()));
    let more = draw.between(1, n - 1);
    let shown = |parts: i64| Number::decimal(Rational::new(parts, n));
    let (division, value) = (shown(1), shown(n * whole + more));
    let draft = Draft::new(Answer::quantity(value, "N"))
        .places(&[("n", n), ("whole", whole), ("next", whole + 1), ("more", more)])
        .step(1, format!("1 ÷ {n} = {division} N"))
        .step(1, format!("{whole} + {more} × {division} = {value} N"))
        .wrong_numbers(&[
            ("division-taken-for-a-newton", Number::from(whole + more)),
            ("division-taken-for-a-tenth", Number::decimal(Rational::new(10 * whole + more, 10))),
            ("counted-from-the-next-mark", shown(n * (whole + 1) - more)),
            ("small-divisions-left-out", Number::from(whole)),
            ("next-mark-read", Number::from(whole + 1)),
        ])
        .proof(format!("({value} − {whole}) × {n}"), more);
    Some(draft)
}
