//! Number and measure.

/// Sums and differences of integers.
pub(super) mod integer_sum;

/// Products and quotients of integers.
pub(super) mod integer_product;

/// Sums of unlike fractions.
pub(super) mod fraction_sum;

/// Division of a fraction by a fraction.
pub(super) mod fraction_quotient;

/// Products of decimals.
pub(super) mod decimal_product;

/// Highest common factor of two numbers.
pub(super) mod hcf;

/// Least common multiple of two numbers.
pub(super) mod lcm;

/// The other number from HCF, LCM and one number.
pub(super) mod hcf_lcm_product;

/// Roots of perfect squares.
pub(super) mod square_root;

/// Roots of perfect cubes.
pub(super) mod cube_root;

/// Laws of exponents on one base.
pub(super) mod exponent_laws;

/// A percentage of a quantity.
pub(super) mod percentage_of;

/// Increase in per cent.
pub(super) mod percentage_change;

/// Sharing in a ratio.
pub(super) mod ratio_sharing;

/// Direct proportion by the unitary method.
pub(super) mod direct_proportion;

/// Inverse proportion: workers and days.
pub(super) mod inverse_proportion;
