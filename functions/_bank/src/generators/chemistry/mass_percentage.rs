//! Concentration in per cent by mass.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::{Number, Rational};
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "mass-percentage",
    family: Family::Science,
    classes: 8..=9,
    marks: 2..=2,
    topics: &["exploring mixture", "solute solvent solution", "matter around pure"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let p = draw.between(2, 8 * draw.level());
    let whole = 50 * draw.between(2, 8);
    if (p * whole) % 100 != 0 {
        return None;
    }
    let solute = p * whole / 100;
    let solvent = whole - solute;
    let percent = |above: i64, below: i64| Number::decimal(Rational::new(100 * above, below));
    let draft = Draft::new(Answer::quantity(p, "%"))
        .places(&[("solute", solute), ("solvent", solvent)])
        .step(1, format!("{solute} + {solvent} = {whole} g"))
        .step(1, format!("{solute} ÷ {whole} × 100 = {p}%"))
        .wrong_numbers(&[
            ("of-the-solvent-for-solution", percent(solute, solvent)),
            ("per-cent-of-solvent", Number::from(100 - p)),
            ("grams-as-per-cent", Number::from(solute)),
            ("doubled", Number::from(2 * p)),
        ])
        .proof(format!("{whole} × {p} ÷ 100"), format!("{whole} − {solvent}"));
    Some(draft)
}
