//! Ratios of the sides of right-angled triangles.

/// Values at standard angles.
pub(super) mod standard_angles;

/// One trigonometric ratio from another.
pub(super) mod ratio_from_ratio;

/// Heights from an angle of elevation.
pub(super) mod height_of_tower;
