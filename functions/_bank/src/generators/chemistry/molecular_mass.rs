//! Molecular mass from a formula.

use super::substances::{SUBSTANCES, mass_of};
use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "molecular-mass",
    family: Family::Science,
    classes: 9..=9,
    marks: 1..=2,
    topics: &["atom molecule", "atomic foundation"],
    draft,
};

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let substance = draw.one_of(&SUBSTANCES);
    let mass = substance.mass();
    let parts: Vec<String> =
        substance.atoms.iter().map(|(element, count)| format!("{count} × {}", mass_of(element))).collect();
    let once: i64 = substance.atoms.iter().map(|(element, _)| mass_of(element)).sum();
    let atoms: i64 = substance.atoms.iter().map(|(_, count)| count).sum();
    let first = mass_of(substance.atoms[0].0);
    let masses: Vec<String> =
        substance.atoms.iter().map(|(element, _)| format!("{element} = {}", mass_of(element))).collect();
    let draft = Draft::new(Answer::quantity(mass, "u"))
        .place("formula", substance.formula)
        .place("masses", masses.join(", "))
        .step(1, parts.join(" + "))
        .step(1, format!("{} = {mass} u", parts.join(" + ")))
        .wrong_numbers(&[
            ("each-element-once", once),
            ("one-atom-too-few", mass - first),
            ("one-atom-too-many", mass + first),
            ("number-of-atoms-for-mass", atoms),
        ])
        .proof(format!("{mass} − {first} × {}", substance.atoms[0].1), parts[1..].join(" + "));
    Some(draft)
}
