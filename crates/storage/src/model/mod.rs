//! Plain values that the layers above hand to each other.

/// Names of buckets and objects, and ids of versions.
mod names;

/// Where an object is: its bucket and its name.
mod path;

/// A row of `storage.objects`.
mod object;

/// A row of `storage.buckets`.
mod bucket;

/// Rows of `storage.s3_multipart_uploads` and of its parts.
mod multipart_upload;

/// Sizes with units.
mod size;

/// A row of `_banyan.storage_uploads`.
mod resumable_upload;

pub(crate) use bucket::Bucket;
pub(crate) use multipart_upload::{MultipartUpload, UploadedPart};
pub(crate) use names::{BucketName, LONGEST_OBJECT_NAME, ObjectName, Version};
pub(crate) use object::Object;
pub(crate) use path::ObjectPath;
pub(crate) use resumable_upload::{ResumableUpload, Tail};
pub(crate) use size::read_size;
