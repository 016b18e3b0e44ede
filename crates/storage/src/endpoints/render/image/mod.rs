//! `/render/image` (CONTRACT.md I01).

/// `GET /render/image/public/:bucket/*`.
mod public;

/// `GET /render/image/authenticated/:bucket/*`.
mod authenticated;

/// `GET /render/image/sign/:bucket/*`.
mod signed;

/// Answers that are a rendered image.
mod serving;

pub(crate) use authenticated::authenticated;
pub(crate) use public::public;
pub(crate) use signed::signed;
