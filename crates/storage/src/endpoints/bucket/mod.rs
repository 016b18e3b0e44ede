//! `/bucket`.

/// `POST /bucket`.
mod create;

/// `GET /bucket`.
mod list;

/// `GET /bucket/:id`.
mod get;

/// `PUT /bucket/:id`.
mod update;

/// `DELETE /bucket/:id`.
mod delete;

/// `POST /bucket/:id/empty`.
mod empty;

/// The settings of a bucket, as bodies give them.
mod settings;

pub(crate) use create::create;
pub(crate) use delete::{delete, delete_empty};
pub(crate) use empty::empty;
pub(crate) use get::get;
pub(crate) use list::list;
pub(crate) use update::update;
