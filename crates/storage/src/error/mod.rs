//! What can go wrong, and its form on the wire (CONTRACT.md E01 to E08).

/// Why a back end did not do it.
mod blob_error;

/// What TUS alone refuses.
mod tus_refusal;

/// The form of each error on the wire, in one table.
mod wire_table;

use banyan_db::{DatabaseError, RunError};
use banyan_identity::{KeyError, TokenError};

pub(crate) use self::{
    blob_error::BlobError,
    tus_refusal::TusRefusal,
    wire_table::{RestStatus, Wire},
};

/// Everything a client can be told. `Display` is the text that the client reads.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StorageError {
    #[error("Bucket not found")]
    NoSuchBucket,
    #[error("Object not found")]
    NoSuchKey,
    /// The row is there and its bytes are not (CONTRACT.md D17).
    #[error("The resource was not found")]
    NoBytes,
    #[error("Upload not found")]
    NoSuchUpload,
    #[error("The resource already exists")]
    BucketAlreadyExists,
    #[error("The resource already exists")]
    KeyAlreadyExists,
    #[error("The resource already exists")]
    ResourceAlreadyExists,
    #[error("The bucket you tried to delete is not empty")]
    ResourceNotEmpty,
    #[error("{0}")]
    TooManyToEmpty(String),
    #[error("{0}")]
    AccessDenied(String),
    /// The token of the request was refused.
    #[error("{}", jwt_message(.0))]
    BearerRefused(TokenError),
    /// The request names nobody where a token is needed (CONTRACT.md C03, C04).
    #[error("Invalid Compact JWS")]
    NoBearer,
    /// The caller has another role than the endpoint asks for; a real 403.
    #[error("Access denied: Invalid role")]
    WrongRole,
    /// The token of a signed URL was refused.
    #[error("{}", jwt_message(.0))]
    InvalidJwt(TokenError),
    #[error("{0}")]
    InvalidSignature(&'static str),
    #[error("{0}")]
    ExpiredToken(&'static str),
    #[error(
        "The request signature we calculated does not match the signature you provided. Check your credentials and signing method."
    )]
    SignatureDoesNotMatch,
    #[error("The access key ID you provided does not exist in our records.")]
    InvalidAccessKeyId,
    #[error("The difference between the request time and the current time is too large.")]
    RequestTimeTooSkewed,
    #[error("Bucket name invalid")]
    InvalidBucketName,
    #[error("Invalid key: {0}")]
    InvalidKey(String),
    #[error("mime type {0} is not supported")]
    InvalidMimeType(String),
    #[error("The object exceeded the maximum allowed size")]
    EntityTooLarge,
    /// A body is of a type that the endpoint does not read (CONTRACT.md E04).
    #[error("Invalid Content-Type header")]
    UnsupportedMediaType,
    /// A body of JSON is larger than any right one.
    #[error("Request body is too large")]
    BodyTooLarge,
    #[error("Body cannot be empty when content-type is set to 'application/json'")]
    EmptyJson,
    #[error("Body is not valid JSON but content-type is set to 'application/json'")]
    MalformedJson,
    #[error("invalid range provided")]
    InvalidRange,
    #[error("{0}")]
    InvalidRequest(String),
    /// What the reference's schema validation says (CONTRACT.md E03).
    #[error("{0}")]
    Validation(String),
    #[error("Missing Required Parameter: {0}")]
    MissingParameter(&'static str),
    #[error("Invalid Parameter: {0}")]
    InvalidParameter(String),
    #[error("Invalid x-robots-tag header: {0}")]
    InvalidXRobotsTag(String),
    #[error("The XML you provided was not well-formed or did not validate against our published schema.")]
    MalformedXml,
    #[error("Invalid upload Signature")]
    InvalidUploadSignature,
    #[error("You must provide the Content-Length HTTP header.")]
    MissingContentLength,
    #[error("The checksum you provided does not match the data.")]
    InvalidChecksum,
    #[error("The provided 'x-amz-content-sha256' header does not match what was computed.")]
    ContentHashMismatch,
    #[error("You did not provide the number of bytes specified.")]
    IncompleteBody,
    #[error("Part {0} is missing or was not uploaded")]
    MissingPart(u32),
    #[error("The list of parts was not in ascending order.")]
    InvalidPartOrder,
    #[error("Your proposed upload is smaller than the minimum allowed object size.")]
    EntityTooSmall,
    /// Of a header of S3; a real 400 (CONTRACT.md X08).
    #[error("invalid range provided")]
    InvalidCopyRange,
    #[error("At least one of the pre-conditions you specified did not hold")]
    PreconditionFailed,
    /// S3 names a version, of which no object has any.
    #[error("The specified version does not exist.")]
    NoSuchVersion,
    /// A part of S3 that is not offered.
    #[error("A header or query you provided implies functionality that is not implemented.")]
    NotImplemented,
    #[error("The resource is locked")]
    ResourceLocked,
    #[error("The resource is referenced by another one")]
    ResourceReferenced,
    #[error("The parent resource is not found")]
    ParentMissing,
    #[error("The connection to the database timed out")]
    DatabaseTimeout,
    #[error("The database is read-only")]
    DatabaseReadOnly,
    #[error("A policy of the database cannot be evaluated")]
    DatabaseInvalidObjectDefinition,
    #[error("The schema of the database does not match")]
    DatabaseSchemaMismatch,
    #[error("The transaction was aborted")]
    DatabaseTransactionAborted,
    #[error("{0}")]
    FeatureNotEnabled(&'static str),
    #[error("Too many connections issued to the database")]
    TooManyConnections,
    #[error("Too many requests, please retry after a moment")]
    SlowDown,
    #[error("Request aborted")]
    Aborted,
    /// No such path in a group; the method and the path.
    #[error("Route {0}:{1} not found")]
    NoRoute(http::Method, String),
    /// No such group; the method and the path.
    #[error("Route {0}:{1} not found")]
    NoGroup(http::Method, String),
    /// The project renders no images.
    #[error("Image transformation is off: config.toml needs [storage.image_transformation] enabled = true")]
    ImagesOff,
    #[error("The request took too long")]
    RequestTimeout,
    /// What a resumable upload refuses.
    #[error(transparent)]
    Tus(#[from] TusRefusal),
    #[error("The quota of the user is used up")]
    QuotaExceeded,
    /// The owner has as many unfinished uploads as he may have (CONTRACT.md B6).
    #[error("Too many uploads are unfinished")]
    TooManyUploads,
    #[error("There is no room left to store the object")]
    NoSpace,
    #[error("Internal Server Error")]
    Database(#[source] RunError),
    #[error("Internal Server Error")]
    Blob(#[source] BlobError),
    #[error("Internal Server Error")]
    Sign(#[from] KeyError),
    #[error("Internal Server Error")]
    Internal(&'static str),
}

/// What the reference's library says of a refused token (CONTRACT.md C03).
fn jwt_message(error: &TokenError) -> &'static str {
    match error {
        TokenError::Expired => "\"exp\" claim timestamp check failed",
        TokenError::NotYetValid => "\"nbf\" claim timestamp check failed",
        TokenError::IssuedInFuture => "\"iat\" claim timestamp check failed",
        TokenError::NoApiKey
        | TokenError::AnonymousDisabled
        | TokenError::Scheme
        | TokenError::Empty
        | TokenError::Repeated
        | TokenError::UnknownKey
        | TokenError::Unreadable
        | TokenError::Parts(_)
        | TokenError::Encrypted
        | TokenError::Claims => "Invalid Compact JWS",
        TokenError::Signature
        | TokenError::Algorithm(_)
        | TokenError::NoKey
        | TokenError::WrongKey
        | TokenError::LegacyOff
        | TokenError::NoSecret
        | TokenError::NotInAudience
        | TokenError::AudienceType
        | TokenError::Purpose
        | TokenError::NotANumber(_) => "signature verification failed",
    }
}

/// An error of PostgreSQL by its SQLSTATE. No text of PostgreSQL is handed on (CONTRACT.md E06).
impl From<RunError> for StorageError {
    fn from(error: RunError) -> Self {
        match error.code() {
            Some("42501") => Self::AccessDenied(denied_message(&error)),
            Some("22023") if names_no_role(&error) => Self::AccessDenied("Access denied".to_owned()),
            Some("23505") => Self::ResourceAlreadyExists,
            Some("23503") if is_parent_in_use(&error) => Self::ResourceReferenced,
            Some("23503") => Self::ParentMissing,
            Some("55P03") => Self::ResourceLocked,
            Some("57014") => Self::DatabaseTimeout,
            Some("25006") => Self::DatabaseReadOnly,
            Some("25P02") => Self::DatabaseTransactionAborted,
            Some("42P17") => Self::DatabaseInvalidObjectDefinition,
            Some("22P02" | "22021" | "22P05" | "22007" | "22008") => {
                Self::InvalidParameter("value".to_owned())
            }
            Some("42703" | "42P01") => Self::DatabaseSchemaMismatch,
            Some("53000") => Self::TooManyUploads,
            Some("53300") => Self::TooManyConnections,
            Some("53400") => Self::QuotaExceeded,
            Some(_) => Self::Database(error),
            None => match error {
                RunError::PoolTimeout(_) => Self::TooManyConnections,
                other => Self::Database(other),
            },
        }
    }
}

/// Row-level security says the same of every table; other refusals may name what is not for all.
fn denied_message(error: &RunError) -> String {
    let is_policy = database_error(error).is_some_and(|it| it.message.contains("row-level security"));
    let message = if is_policy { "new row violates row-level security policy" } else { "Access denied" };
    message.to_owned()
}

/// Whether the token names a role that the database does not have.
fn names_no_role(error: &RunError) -> bool {
    database_error(error).is_some_and(|error| error.message.starts_with("role "))
}

/// Whether a row cannot go because others refer to it; else a row refers to one that is not there.
fn is_parent_in_use(error: &RunError) -> bool {
    let detail = database_error(error).and_then(|error| error.detail.as_deref());
    detail.is_some_and(|detail| detail.contains("is still referenced"))
}

fn database_error(error: &RunError) -> Option<&DatabaseError> {
    match error {
        RunError::Database(refusal) => Some(refusal),
        RunError::Unavailable(_)
        | RunError::Unreachable(_)
        | RunError::Login(_)
        | RunError::PoolTimeout(_)
        | RunError::TooLarge { .. }
        | RunError::Unsendable(_)
        | RunError::Protocol(_) => None,
    }
}

impl From<BlobError> for StorageError {
    fn from(error: BlobError) -> Self {
        match error {
            BlobError::NotFound => Self::NoBytes,
            BlobError::NoSpace => Self::NoSpace,
            BlobError::Source(refusal) => *refusal,
            other @ (BlobError::Io(_) | BlobError::Service(_)) => Self::Blob(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Error, ErrorKind};

    use super::*;

    // rows: E01 InsufficientStorage
    #[test]
    fn a_full_disk_and_a_used_up_quota_of_the_system_have_a_status_of_their_own() {
        for kind in [ErrorKind::StorageFull, ErrorKind::QuotaExceeded] {
            let wire = StorageError::from(BlobError::from(Error::from(kind))).wire();
            assert_eq!((wire.status.as_u16(), wire.code), (507, "InsufficientStorage"));
            assert!(matches!(wire.rest, RestStatus::Real));
        }
    }
}
