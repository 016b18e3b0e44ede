//! The service in process, each test on its own database.

/// A service on a database of its own.
mod support;

/// Tokens, routes, bodies of requests, times.
mod conventions;

/// The SQL schema, without the service.
mod schema;
/// Which bytes belong to which database.
mod stacks;

/// What the database refuses, as clients are told.
mod database_errors;
/// What removes bytes without a row.
mod sweeping;

/// Buckets.
mod buckets;

/// Info, copy, move and remove.
mod single_objects;

/// Folders that are deleted and moved as a whole.
mod folders;

/// Both lists.
mod lists;

/// Signed URLs, and forged ones.
mod signing;

/// Every call as the wrong user.
mod wrong_users;

/// Settings and operations that policies see.
mod policies;

/// Rendered images.
mod images;
/// Paths that try to be something else.
mod path_tricks;
/// The protocol of S3.
mod s3;

/// Changes, told to a webhook.
mod events;
/// Resumable uploads.
mod resumable;
