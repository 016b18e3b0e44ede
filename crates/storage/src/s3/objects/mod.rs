//! Operations on objects (CONTRACT.md X07, X09).

/// `PutObject`.
mod put;

/// `PostObject`: a form of a browser.
mod post;

/// `GetObject` and `HeadObject`.
mod get;

/// `CopyObject`.
mod copy;

/// `DeleteObject`.
mod delete;

/// `DeleteObjects`.
mod delete_many;

/// `GetObjectTagging`.
mod tagging;

pub(super) use copy::copy;
pub(super) use delete::delete;
pub(super) use delete_many::delete_many;
pub(super) use get::get;
pub(super) use post::post;
pub(super) use put::put;
pub(super) use tagging::tagging;
