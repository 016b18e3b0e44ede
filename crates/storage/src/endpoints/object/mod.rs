//! Objects, at `/object`.

/// `GET`, `HEAD /object/:bucket/*` and `/object/authenticated/:bucket/*`.
mod download;

/// `GET`, `HEAD /object/public/:bucket/*`.
mod public;

/// `GET`, `HEAD /object/sign/:bucket/*`.
mod signed;

/// `POST`, `PUT /object/:bucket/*`.
mod upload;

/// `PUT /object/upload/sign/:bucket/*`.
mod upload_signed;

/// `GET /object/info/:bucket/*`.
mod info;

/// `POST /object/copy`.
mod copy;

/// `POST /object/move`.
mod move_;

/// `DELETE /object/:bucket/*`.
mod remove;

/// `DELETE /object/:bucket`.
mod remove_many;

/// `POST /object/list/:bucket`.
mod list;

/// `POST /object/list-v2/:bucket`.
mod list_v2;

/// `POST /object/sign/:bucket/*`.
mod sign;

/// `POST /object/sign/:bucket`.
mod sign_many;

/// `POST /object/upload/sign/:bucket/*`.
mod sign_upload;

/// The body of an upload.
mod incoming;

/// Answers that are an object.
pub(crate) mod serving;

/// Whose rights find the object that is read.
pub(crate) mod rights;

/// The token of a signed URL.
pub(crate) mod signed_token;

/// The two places that a body of a copy or a move names.
mod two_places;

pub(crate) use copy::{copy, copy_bytes};
pub(crate) use download::{authenticated, download};
pub(crate) use incoming::{Form, read_form};
pub(crate) use info::{info, info_authenticated, info_public};
pub(crate) use list::list;
pub(crate) use list_v2::list_v2;
pub(crate) use move_::move_;
pub(crate) use public::public;
pub(crate) use remove::{remove, remove_one};
pub(crate) use remove_many::remove_many;
pub(crate) use serving::respond;
pub(crate) use sign::sign;
pub(crate) use sign_many::sign_many;
pub(crate) use sign_upload::sign_upload;
pub(crate) use signed::signed;
pub(crate) use upload::upload;
pub(crate) use upload_signed::upload_signed;
