//! The service in process, each test on its own database.

/// A service on a database of its own.
#[cfg(test)]
mod support;

/// Tokens, routes, bodies of requests, times.
#[cfg(test)]
mod conventions;

/// Bytes on their way in.
mod upload;

/// Bytes on their way out.
mod download;

/// The SQL schema, without the service.
#[cfg(test)]
mod schema;
/// URLs that are signed, as they are used.
mod signed_use;

/// Which bytes belong to which database.
#[cfg(test)]
mod stacks;

/// What a user may take.
#[cfg(test)]
mod quota;

/// What the database refuses, as clients are told.
#[cfg(test)]
mod database_errors;

/// What removes bytes without a row.
#[cfg(test)]
mod sweeping;

/// Buckets.
#[cfg(test)]
mod buckets;

/// Info, copy, move and remove.
#[cfg(test)]
mod single_objects;

/// Folders that are deleted and moved as a whole.
#[cfg(test)]
mod folders;

/// Both lists.
#[cfg(test)]
mod lists;

/// Signed URLs, and forged ones.
#[cfg(test)]
mod signing;

/// Every call as the wrong user.
#[cfg(test)]
mod wrong_users;

/// Settings and operations that policies see.
#[cfg(test)]
mod policies;

/// Rendered images.
#[cfg(test)]
mod images;

/// Paths that try to be something else.
#[cfg(test)]
mod path_tricks;

/// The protocol of S3.
#[cfg(test)]
mod s3;

/// Changes, told to a webhook.
#[cfg(test)]
mod events;

/// Resumable uploads.
#[cfg(test)]
mod resumable;
