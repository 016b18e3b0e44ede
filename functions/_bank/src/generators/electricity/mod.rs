//! Circuits and the bill.

/// Ohm's law.
pub(super) mod ohms_law;

/// Resistors in series.
pub(super) mod resistors_in_series;

/// Two resistors in parallel.
pub(super) mod resistors_in_parallel;

/// P = VI.
pub(super) mod electric_power;

/// The cost of electric energy.
pub(super) mod energy_cost;

/// Heat from a current.
pub(super) mod heat_of_current;
