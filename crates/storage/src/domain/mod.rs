//! The rules about objects, limits and permissions. No routes, no SQL.

/// Folders: all objects whose names begin alike.
pub(crate) mod folders;

/// Bytes that no row names any more.
pub(crate) mod garbage;

/// Signed URLs.
pub(crate) mod signed_urls;
