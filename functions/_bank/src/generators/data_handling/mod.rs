//! Statistics and probability.

/// The arithmetic mean.
pub(super) mod mean;

/// The median.
pub(super) mod median;

/// The mode.
pub(super) mod mode;

/// The probability of a colour.
pub(super) mod probability_of_ball;

/// The probability of a multiple on a numbered card.
pub(super) mod probability_of_multiple;
