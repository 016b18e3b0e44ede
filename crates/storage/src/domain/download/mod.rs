//! What of an object is answered to whom has asked how.

/// The bytes of an object.
mod bytes;

/// Conditional requests.
mod conditions;

/// The header `Range`.
mod ranges;

pub(crate) use self::bytes::{body, size};
pub(crate) use conditions::{is_known, names, range_counts};
pub(crate) use ranges::{Wanted, wanted};
