//! Points, lengths, areas, volumes, angles.

/// The distance between two points.
pub(super) mod distance;

/// The mid-point of a line segment.
pub(super) mod midpoint;

/// The point that divides a segment in a ratio.
pub(super) mod section_point;

/// A side of a right-angled triangle.
pub(super) mod pythagoras;

/// The perimeter of a rectangle.
pub(super) mod rectangle_perimeter;

/// The area of a rectangle.
pub(super) mod rectangle_area;

/// The area of a triangle from base and height.
pub(super) mod triangle_area;

/// The area of a triangle from its sides.
pub(super) mod heron;

/// The circumference of a circle.
pub(super) mod circle_circumference;

/// The area of a circle.
pub(super) mod circle_area;

/// The area of a sector.
pub(super) mod sector_area;

/// The volume of a cuboid.
pub(super) mod cuboid_volume;

/// The volume of a cylinder.
pub(super) mod cylinder_volume;

/// The volume of a cone.
pub(super) mod cone_volume;

/// The third angle of a triangle.
pub(super) mod triangle_angle;

/// The fourth angle of a quadrilateral.
pub(super) mod quadrilateral_angle;

/// Angles of a quadrilateral as terms in x.
pub(super) mod quadrilateral_unknown;

/// Two angles on one side of parallel lines, as a ratio.
pub(super) mod angles_in_ratio;

/// Diagonals that bisect each other, with a length in x.
pub(super) mod half_diagonal;

/// An angle at the point where the diagonals of a rectangle meet.
pub(super) mod rectangle_diagonal_angle;

/// The angle between a side and a diagonal of a rhombus.
pub(super) mod rhombus_angle;

/// The equal angles of a kite.
pub(super) mod kite_angle;

/// A side of a parallelogram from its perimeter.
pub(super) mod parallelogram_side;

/// The segment that joins mid-points of the sides of a triangle.
pub(super) mod midpoint_theorem;

/// The interior angle of a regular polygon.
pub(super) mod regular_polygon_angle;
