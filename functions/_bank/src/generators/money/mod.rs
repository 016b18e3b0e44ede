//! Buying, selling, lending.

/// Profit in per cent of the cost price.
pub(super) mod profit_percent;

/// Price after a discount.
pub(super) mod discount;

/// Simple interest.
pub(super) mod simple_interest;

/// Compound interest for two years.
pub(super) mod compound_interest;
