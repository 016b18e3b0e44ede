/// A substance and the atoms of one molecule or formula unit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Substance {
    pub(super) formula: &'static str,
    pub(super) atoms: &'static [(&'static str, i64)],
}

impl Substance {
    /// Its mass in u, or of one mole in g.
    pub(super) fn mass(&self) -> i64 {
        self.atoms.iter().map(|(element, count)| mass_of(element) * count).sum()
    }
}

/// Atomic mass in u, as rounded in school books.
pub(super) fn mass_of(element: &str) -> i64 {
    match element {
        "H" => 1,
        "C" => 12,
        "N" => 14,
        "O" => 16,
        "Na" => 23,
        "Mg" => 24,
        "S" => 32,
        "Ca" => 40,
        other => unreachable!("no substance of the list has {other}"),
    }
}

const fn of(formula: &'static str, atoms: &'static [(&'static str, i64)]) -> Substance {
    Substance { formula, atoms }
}

pub(super) const SUBSTANCES: [Substance; 14] = [
    of("H₂O", &[("H", 2), ("O", 1)]),
    of("CO₂", &[("C", 1), ("O", 2)]),
    of("CH₄", &[("C", 1), ("H", 4)]),
    of("NH₃", &[("N", 1), ("H", 3)]),
    of("SO₂", &[("S", 1), ("O", 2)]),
    of("C₂H₆", &[("C", 2), ("H", 6)]),
    of("CaO", &[("Ca", 1), ("O", 1)]),
    of("MgO", &[("Mg", 1), ("O", 1)]),
    of("NaOH", &[("Na", 1), ("O", 1), ("H", 1)]),
    of("HNO₃", &[("H", 1), ("N", 1), ("O", 3)]),
    of("H₂SO₄", &[("H", 2), ("S", 1), ("O", 4)]),
    of("CaCO₃", &[("Ca", 1), ("C", 1), ("O", 3)]),
    of("C₂H₆O", &[("C", 2), ("H", 6), ("O", 1)]),
    of("C₆H₁₂O₆", &[("C", 6), ("H", 12), ("O", 6)]),
];
