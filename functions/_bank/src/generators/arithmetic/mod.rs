//! Number and measure.

/// Sums and differences of integers.
pub(super) mod integer_sum;

/// Products and quotients of integers.
pub(super) mod integer_product;

/// Sums of unlike fractions.
pub(super) mod fraction_sum;

/// Division of a fraction by a fraction.
pub(super) mod fraction_quotient;

/// Differences of unlike fractions.
pub(super) mod fraction_difference;

/// Products of fractions.
pub(super) mod fraction_product;

/// A fraction of a quantity.
pub(super) mod fraction_of;

/// A missing number in equivalent fractions.
pub(super) mod equivalent_fraction;

/// Fractions in lowest terms.
pub(super) mod lowest_terms;

/// Fractions by size.
pub(super) mod fraction_order;

/// An improper fraction as a mixed one.
pub(super) mod improper_fraction;

/// A mixed fraction as an improper one.
pub(super) mod mixed_fraction;

/// Things shared equally.
pub(super) mod equal_shares;

/// A fraction as a percentage.
pub(super) mod fraction_as_percent;

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
