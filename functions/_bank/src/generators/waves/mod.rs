//! Light and sound.

/// The mirror formula for a concave mirror.
pub(super) mod mirror_image;

/// The lens formula for a convex lens.
pub(super) mod lens_image;

/// The power of a lens.
pub(super) mod lens_power;

/// The speed of light in a medium.
pub(super) mod speed_in_medium;

/// v = fλ for sound.
pub(super) mod wave_speed;

/// The distance of a reflecting wall.
pub(super) mod echo;
