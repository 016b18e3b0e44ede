//! Equations, polynomials, progressions, surds.

/// Equations in one variable on one side.
pub(super) mod linear_equation;

/// Equations with the variable on both sides.
pub(super) mod equation_both_sides;

/// Two linear equations in two variables.
pub(super) mod pair_of_equations;

/// Quadratic equations with rational roots.
pub(super) mod quadratic_roots;

/// The discriminant of a quadratic equation.
pub(super) mod discriminant;

/// Sum or product of the zeroes of a polynomial.
pub(super) mod zeroes_and_coefficients;

/// The remainder theorem.
pub(super) mod remainder;

/// A coefficient from a known factor.
pub(super) mod unknown_coefficient;

/// A term of an arithmetic progression.
pub(super) mod ap_term;

/// The sum of an arithmetic progression.
pub(super) mod ap_sum;

/// Squares near a round number by (a ± b)².
pub(super) mod square_by_identity;

/// Products by (a + b)(a − b).
pub(super) mod product_by_identity;

/// Roots in simplest form.
pub(super) mod surd_form;

/// Denominators without roots.
pub(super) mod rationalised_denominator;
