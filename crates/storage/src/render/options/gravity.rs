//! Which part of the image a crop keeps.

use std::fmt;

use crate::error::StorageError;

/// Which part of the image a crop keeps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Gravity {
    pub(crate) anchor: Anchor,
    offsets: Option<(f64, f64)>,
}

/// Where the part lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    North,
    South,
    East,
    West,
    NorthEast,
    NorthWest,
    SouthEast,
    SouthWest,
    Centre,
    /// Where the image has most detail.
    Smart,
    /// Around a point of the image.
    FocalPoint,
}

impl Gravity {
    /// Checks the offsets of a gravity: a focal point needs both, from 0 to 1; `sm` takes none.
    pub(super) fn new(anchor: Anchor, x: Option<f64>, y: Option<f64>) -> Result<Self, StorageError> {
        use Anchor::{
            Centre, East, FocalPoint, North, NorthEast, NorthWest, Smart, South, SouthEast, SouthWest, West,
        };
        let within = |offset: Option<f64>| offset.filter(|offset| (0.0..=1.0).contains(offset));
        let offsets = match anchor {
            Smart => None,
            FocalPoint => Some(within(x).zip(within(y)).ok_or_else(no_focal_point)?),
            North | South | East | West | NorthEast | NorthWest | SouthEast | SouthWest | Centre => {
                x.or(y).map(|_| (x.unwrap_or_default(), y.unwrap_or_default()))
            }
        };
        Ok(Self { anchor, offsets })
    }

    /// Offsets from the anchor: pixels, or a part of the image if less than 1.
    pub(crate) fn offsets(&self) -> (f64, f64) {
        self.offsets.unwrap_or_default()
    }
}

fn no_focal_point() -> StorageError {
    StorageError::InvalidParameter("a focal point needs x_offset and y_offset from 0 to 1".to_owned())
}

impl Default for Gravity {
    fn default() -> Self {
        Self { anchor: Anchor::Centre, offsets: None }
    }
}

impl fmt::Display for Gravity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Anchor::NAMES.iter().find(|(_, anchor)| *anchor == self.anchor);
        f.write_str(name.expect("every anchor has a name").0)?;
        self.offsets.map_or(Ok(()), |(x, y)| write!(f, ":{x}:{y}"))
    }
}

impl Anchor {
    pub(super) const NAMES: &[(&'static str, Self)] = &[
        ("no", Self::North),
        ("so", Self::South),
        ("ea", Self::East),
        ("we", Self::West),
        ("noea", Self::NorthEast),
        ("nowe", Self::NorthWest),
        ("soea", Self::SouthEast),
        ("sowe", Self::SouthWest),
        ("ce", Self::Centre),
        ("sm", Self::Smart),
        ("fp", Self::FocalPoint),
    ];
}
