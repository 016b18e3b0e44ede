//! `/object`.

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

/// The two places that a body of a copy or a move names.
mod two_places;

pub(crate) use copy::copy;
pub(crate) use info::{info, info_authenticated, info_public};
pub(crate) use list::list;
pub(crate) use list_v2::list_v2;
pub(crate) use move_::move_;
pub(crate) use remove::remove;
pub(crate) use remove_many::remove_many;
pub(crate) use sign::sign;
pub(crate) use sign_many::sign_many;
pub(crate) use sign_upload::sign_upload;
