//! Balancing of chemical equations.

use std::collections::BTreeMap;

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "balanced-equation",
    family: Family::Science,
    classes: 8..=10,
    marks: 1..=2,
    topics: &["chemical reaction equation", "metal non metal", "carbon compound"],
    draft,
};

/// Reactions of the school laboratory, ten easy, ten average, ten difficult ones.
const EQUATIONS: [&str; 30] = [
    "2Mg + O₂ → 2MgO",
    "2H₂ + O₂ → 2H₂O",
    "N₂ + 3H₂ → 2NH₃",
    "2Na + Cl₂ → 2NaCl",
    "2SO₂ + O₂ → 2SO₃",
    "Zn + 2HCl → ZnCl₂ + H₂",
    "2HgO → 2Hg + O₂",
    "2H₂O → 2H₂ + O₂",
    "Mg + 2HCl → MgCl₂ + H₂",
    "2CO + O₂ → 2CO₂",
    "CH₄ + 2O₂ → CO₂ + 2H₂O",
    "2Na + 2H₂O → 2NaOH + H₂",
    "2KClO₃ → 2KCl + 3O₂",
    "2AgNO₃ + Cu → Cu(NO₃)₂ + 2Ag",
    "2NaOH + H₂SO₄ → Na₂SO₄ + 2H₂O",
    "Ca(OH)₂ + 2HCl → CaCl₂ + 2H₂O",
    "4Al + 3O₂ → 2Al₂O₃",
    "CaCO₃ + 2HCl → CaCl₂ + H₂O + CO₂",
    "2AgBr → 2Ag + Br₂",
    "2FeSO₄ → Fe₂O₃ + SO₂ + SO₃",
    "3Fe + 4H₂O → Fe₃O₄ + 4H₂",
    "2Al + 6HCl → 2AlCl₃ + 3H₂",
    "2Pb(NO₃)₂ → 2PbO + 4NO₂ + O₂",
    "3MnO₂ + 4Al → 3Mn + 2Al₂O₃",
    "Fe₂O₃ + 3CO → 2Fe + 3CO₂",
    "2C₂H₆ + 7O₂ → 4CO₂ + 6H₂O",
    "C₂H₅OH + 3O₂ → 2CO₂ + 3H₂O",
    "6CO₂ + 6H₂O → C₆H₁₂O₆ + 6O₂",
    "Al₂O₃ + 6HCl → 2AlCl₃ + 3H₂O",
    "3CuO + 2NH₃ → 3Cu + N₂ + 3H₂O",
];

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let first = (draw.level() - 1) * 10;
    let text = EQUATIONS[usize::try_from(draw.between(first, first + 9)).ok()?];
    let equation = Equation::of(text);
    let bare = equation.with(|_, _| 1);
    let last = equation.terms().count() - 1;
    let mut draft = Draft::new(Answer::Notation(text.to_owned()))
        .place("equation", &bare)
        .wrong("coefficients-left-out", Answer::Notation(bare))
        .wrong("last-coefficient", Answer::Notation(equation.with(|at, n| n + i64::from(at == last))))
        .wrong("first-coefficient", Answer::Notation(equation.with(|at, n| n + i64::from(at == 0))));
    let (left, right) = (atoms(&equation.left), atoms(&equation.right));
    let counts: Vec<String> =
        left.iter().map(|(element, count)| format!("{element}: {count} → {count}")).collect();
    draft = draft.step(1, counts.join("; ")).step(1, text);
    for (element, count) in left {
        draft = draft.proof(count, right.get(&element).copied().unwrap_or(0));
    }
    Some(draft)
}

/// Terms with their coefficients on both sides of the arrow.
struct Equation {
    left: Vec<(i64, &'static str)>,
    right: Vec<(i64, &'static str)>,
}

impl Equation {
    fn of(text: &'static str) -> Self {
        let (left, right) = text.split_once(" → ").expect("every equation has an arrow");
        let side = |text: &'static str| text.split(" + ").map(term).collect();
        Self { left: side(left), right: side(right) }
    }

    fn terms(&self) -> impl Iterator<Item = &(i64, &'static str)> {
        self.left.iter().chain(&self.right)
    }

    /// The equation as written, with each coefficient changed.
    fn with(&self, change: impl Fn(usize, i64) -> i64) -> String {
        let written: Vec<String> = self
            .terms()
            .enumerate()
            .map(|(at, (count, formula))| match change(at, *count) {
                1 => (*formula).to_owned(),
                count => format!("{count}{formula}"),
            })
            .collect();
        let (left, right) = written.split_at(self.left.len());
        format!("{} → {}", left.join(" + "), right.join(" + "))
    }
}

fn term(text: &'static str) -> (i64, &'static str) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
    (text[..end].parse().unwrap_or(1), &text[end..])
}

/// How many atoms of each element a side has.
fn atoms(side: &[(i64, &'static str)]) -> BTreeMap<String, i64> {
    let mut all = BTreeMap::new();
    for (count, formula) in side {
        for (element, times) in formula_atoms(&formula.chars().collect::<Vec<_>>()) {
            *all.entry(element).or_default() += count * times;
        }
    }
    all
}

fn formula_atoms(formula: &[char]) -> BTreeMap<String, i64> {
    let mut all: BTreeMap<String, i64> = BTreeMap::new();
    let mut at = 0;
    while at < formula.len() {
        let group = if formula[at] == '(' {
            let end = at + formula[at..].iter().position(|c| *c == ')').unwrap_or(formula.len() - at - 1);
            let inside = formula_atoms(&formula[at + 1..end]);
            at = end + 1;
            inside
        } else {
            let small = formula[at + 1..].iter().take_while(|c| c.is_ascii_lowercase()).count();
            let element: String = formula[at..=at + small].iter().collect();
            at += small + 1;
            BTreeMap::from([(element, 1)])
        };
        let digits: String = formula[at..].iter().map_while(|c| lowered(*c)).collect();
        at += digits.chars().count();
        for (element, count) in group {
            *all.entry(element).or_default() += count * digits.parse().unwrap_or(1);
        }
    }
    all
}

fn lowered(c: char) -> Option<char> {
    const LOWERED: &str = "₀₁₂₃₄₅₆₇₈₉";
    LOWERED.chars().zip('0'..='9').find(|(low, _)| *low == c).map(|(_, digit)| digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_equation_of_the_list_is_balanced_in_lowest_numbers() {
        for text in EQUATIONS {
            let equation = Equation::of(text);
            assert_eq!(atoms(&equation.left), atoms(&equation.right), "{text}");
            let divisor = equation.terms().fold(0, |all, (count, _)| crate::numbers::gcd(all, *count));
            assert_eq!(divisor, 1, "{text}");
            assert_eq!(equation.with(|_, count| count), text);
            assert_ne!(equation.with(|_, _| 1), text);
        }
    }

    #[test]
    fn atoms_in_brackets_are_counted() {
        let nitrate = formula_atoms(&"Cu(NO₃)₂".chars().collect::<Vec<_>>());
        assert_eq!(nitrate, BTreeMap::from([("Cu".to_owned(), 1), ("N".to_owned(), 2), ("O".to_owned(), 6)]));
    }
}
