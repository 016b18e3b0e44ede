//! Motion, force, work, matter in bulk.

/// Average speed over two stretches.
pub(super) mod average_speed;

/// v = u + at.
pub(super) mod final_velocity;

/// s = ut + ½at².
pub(super) mod distance_travelled;

/// F = ma.
pub(super) mod force;

/// p = mv.
pub(super) mod momentum;

/// W = Fs.
pub(super) mod work;

/// Kinetic energy.
pub(super) mod kinetic_energy;

/// Potential energy near the ground.
pub(super) mod potential_energy;

/// Power as work in unit time.
pub(super) mod power_of_lift;

/// Density.
pub(super) mod density;

/// Pressure.
pub(super) mod pressure;

/// Weight on the earth or on the moon.
pub(super) mod weight;

/// Mass from the weight on the earth.
pub(super) mod mass_from_weight;

/// What a spring balance shows.
pub(super) mod spring_balance;

/// The upward force of water from two readings.
pub(super) mod upward_force;

/// The net force of two forces along one line.
pub(super) mod net_force;
