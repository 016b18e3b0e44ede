//! Atoms, moles, equations, solutions.

/// Molecular mass from a formula.
pub(super) mod molecular_mass;

/// Amount of substance from mass.
pub(super) mod moles;

/// Concentration in per cent by mass.
pub(super) mod mass_percentage;

/// Celsius and kelvin.
pub(super) mod temperature_in_kelvin;

/// Balancing of chemical equations.
pub(super) mod balanced_equation;

/// Formulas and atomic masses.
mod substances;
