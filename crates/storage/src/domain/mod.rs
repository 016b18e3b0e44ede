//! The rules about objects, limits and permissions. No routes, no SQL.

/// Folders: all objects whose names begin alike.
pub(crate) mod folders;

/// Bytes that no row names any more.
pub(crate) mod garbage;

/// Signed URLs.
pub(crate) mod signed_urls;

/// How bytes become an object: the one way for REST, signed URLs, TUS, S3 and copies.
pub(crate) mod upload;

/// What of an object is answered to whom has asked how.
pub(crate) mod download;

/// Rows of buckets and objects as uploads and downloads read them.
pub(crate) mod served;
