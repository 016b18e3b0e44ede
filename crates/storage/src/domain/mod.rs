//! The rules about objects, limits and permissions. No routes, no SQL.

/// How bytes become an object: the one way for REST, signed URLs, TUS, S3 and copies.
pub(crate) mod upload;
