//! Objects, at `/object`.

/// `GET`, `HEAD /object/:bucket/*` and `/object/authenticated/:bucket/*`.
mod download;

/// The body of an upload.
mod incoming;

/// `GET`, `HEAD /object/public/:bucket/*`.
mod public;

/// Answers that are an object.
mod serving;

/// `GET`, `HEAD /object/sign/:bucket/*`.
mod signed;

/// The token of a signed URL.
mod signed_token;

/// `POST`, `PUT /object/:bucket/*`.
mod upload;

/// `PUT /object/upload/sign/:bucket/*`.
mod upload_signed;

pub(crate) use download::{authenticated, download};
pub(crate) use public::public;
pub(crate) use signed::signed;
pub(crate) use upload::upload;
pub(crate) use upload_signed::upload_signed;
