//! Operations on buckets (CONTRACT.md X05), and lists of objects (X06).

/// `ListBuckets`.
mod list;

/// `CreateBucket`.
mod create;

/// `DeleteBucket`.
mod delete;

/// `HeadBucket`, `GetBucketLocation` and `GetBucketVersioning`.
mod properties;

/// `ListObjects` and `ListObjectsV2`.
mod list_objects;

/// `ListObjectVersions`.
mod list_versions;

/// A page of objects.
mod object_page;

pub(super) use create::create;
pub(super) use delete::delete;
pub(super) use list::list;
pub(super) use list_objects::{list_objects, list_objects_v2};
pub(super) use list_versions::list_versions;
pub(super) use properties::{head, location, versioning};
