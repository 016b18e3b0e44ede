//! What can go wrong, and its form on the wire (CONTRACT.md E01 to E08).

use banyan_db::RunError;
use banyan_identity::{KeyError, TokenError};
use http::StatusCode;

use crate::{blobs::BlobError, model::TusRefusal};

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
    #[error("Bucket name invalid")]
    InvalidBucketName,
    #[error("Invalid key: {0}")]
    InvalidKey(String),
    #[error("mime type {0} is not supported")]
    InvalidMimeType(String),
    #[error("The object exceeded the maximum allowed size")]
    EntityTooLarge,
    #[error("{0}")]
    UnsupportedMediaType(String),
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
    #[error("Invalid upload id")]
    InvalidUploadId,
    #[error("Invalid upload Signature")]
    InvalidUploadSignature,
    #[error("You must provide the Content-Length HTTP header.")]
    MissingContentLength,
    #[error("The checksum you provided does not match the data.")]
    InvalidChecksum,
    #[error("Part {0} is missing or was not uploaded")]
    MissingPart(u32),
    #[error("The resource is locked")]
    ResourceLocked,
    #[error("acquiring lock timeout")]
    LockTimeout,
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
    #[error("{0}")]
    NotSupported(&'static str),
    #[error("Too many connections issued to the database")]
    TooManyConnections,
    #[error("Too many requests, please retry after a moment")]
    SlowDown,
    #[error("Request aborted")]
    Aborted,
    /// No such path in a group; the method and the path.
    #[error("Route {0}:{1} not found")]
    NoRoute(http::Method, String),
    #[error("The request took too long")]
    RequestTimeout,
    /// What a resumable upload refuses.
    #[error(transparent)]
    Tus(#[from] TusRefusal),
    #[error("The quota of the user is used up")]
    QuotaExceeded,
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

/// How an error is told: the number in `statusCode`, the words in `error` and `code`.
pub(crate) struct Wire {
    pub(crate) status: StatusCode,
    pub(crate) error: &'static str,
    pub(crate) code: &'static str,
    /// Whether REST answers with `status` itself and not with 400 (CONTRACT.md E01).
    pub(crate) as_is: bool,
}

impl StorageError {
    /// Its form on the wire. TUS and S3 answer with this status; REST answers 400 unless `as_is`.
    pub(crate) fn wire(&self) -> Wire {
        let (status, error, code) = match self {
            Self::NoSuchBucket => (404, "Bucket not found", "NoSuchBucket"),
            Self::NoSuchKey => (404, "not_found", "NoSuchKey"),
            Self::NoBytes => (404, "Not found", "NoSuchKey"),
            Self::NoSuchUpload => (404, "NoSuchUpload", "NoSuchUpload"),
            Self::BucketAlreadyExists => (409, "Duplicate", "BucketAlreadyExists"),
            Self::KeyAlreadyExists => (409, "Duplicate", "KeyAlreadyExists"),
            Self::ResourceAlreadyExists => (409, "Duplicate", "ResourceAlreadyExists"),
            Self::ResourceNotEmpty => (409, "ResourceNotEmpty", "ResourceNotEmpty"),
            Self::TooManyToEmpty(_) => (409, "InvalidRequest", "InvalidRequest"),
            Self::AccessDenied(_) | Self::BearerRefused(_) | Self::WrongRole => {
                (403, "Unauthorized", "AccessDenied")
            }
            Self::InvalidJwt(_) => (400, "InvalidJWT", "InvalidJWT"),
            Self::InvalidSignature(_) => (400, "InvalidSignature", "InvalidSignature"),
            Self::ExpiredToken(_) => (400, "ExpiredToken", "ExpiredToken"),
            Self::SignatureDoesNotMatch => (403, "SignatureDoesNotMatch", "SignatureDoesNotMatch"),
            Self::InvalidAccessKeyId => (403, "InvalidAccessKeyId", "InvalidAccessKeyId"),
            Self::InvalidBucketName => (400, "Invalid Input", "InvalidBucketName"),
            Self::InvalidKey(_) => (400, "InvalidKey", "InvalidKey"),
            Self::InvalidMimeType(_) => (415, "invalid_mime_type", "InvalidMimeType"),
            Self::EntityTooLarge | Self::QuotaExceeded => (413, "Payload too large", "EntityTooLarge"),
            Self::UnsupportedMediaType(_) => (415, "invalid_mime_type", "InvalidMimeType"),
            Self::InvalidRange => (416, "invalid_range", "InvalidRange"),
            Self::InvalidRequest(_) => (400, "InvalidRequest", "InvalidRequest"),
            Self::Validation(_) => (400, "Error", "InvalidRequest"),
            Self::MissingParameter(_) => (400, "MissingParameter", "MissingParameter"),
            Self::InvalidParameter(_) => (400, "InvalidParameter", "InvalidParameter"),
            Self::InvalidXRobotsTag(_) => (400, "invalid_x_robots_tag", "InvalidRequest"),
            Self::MalformedXml => (400, "MalformedXML", "MalformedXML"),
            Self::InvalidUploadId => (400, "InvalidUploadId", "InvalidUploadId"),
            Self::InvalidUploadSignature => (400, "InvalidUploadSignature", "InvalidUploadSignature"),
            Self::MissingContentLength => (400, "MissingContentLength", "MissingContentLength"),
            Self::InvalidChecksum => (400, "InvalidChecksum", "InvalidChecksum"),
            Self::MissingPart(_) => (400, "MissingPart", "MissingPart"),
            Self::ResourceLocked => (423, "ResourceLocked", "ResourceLocked"),
            Self::LockTimeout => (503, "acquiring_lock_timeout", "LockTimeout"),
            Self::ResourceReferenced => (409, "ResourceReferenced", "ResourceReferenced"),
            Self::ParentMissing => (404, "InvalidRequest", "InvalidRequest"),
            Self::DatabaseTimeout => (544, "DatabaseTimeout", "DatabaseTimeout"),
            Self::DatabaseReadOnly => (503, "DatabaseReadOnly", "DatabaseReadOnly"),
            Self::DatabaseInvalidObjectDefinition => {
                (503, "DatabaseInvalidObjectDefinition", "DatabaseInvalidObjectDefinition")
            }
            Self::DatabaseSchemaMismatch => (503, "DatabaseSchemaMismatch", "DatabaseSchemaMismatch"),
            Self::DatabaseTransactionAborted => {
                (500, "DatabaseTransactionAborted", "DatabaseTransactionAborted")
            }
            Self::FeatureNotEnabled(_) => (409, "FeatureNotEnabled", "FeatureNotEnabled"),
            Self::NotSupported(_) => (409, "NotSupported", "NotSupported"),
            Self::TooManyConnections => (429, "too_many_connections", "SlowDown"),
            Self::SlowDown => (429, "SlowDown", "SlowDown"),
            Self::Aborted => (499, "Request aborted", "Aborted"),
            Self::NoRoute(..) => (404, "Not Found", "InvalidRequest"),
            Self::RequestTimeout => (408, "RequestTimeout", "InvalidRequest"),
            Self::Tus(refusal) => (refusal.status(), "TusError", "TusError"),
            Self::NoSpace => (507, "InsufficientStorage", "InsufficientStorage"),
            Self::Database(_) | Self::Blob(_) | Self::Sign(_) | Self::Internal(_) => {
                (500, "Internal", "InternalError")
            }
        };
        let as_is = match self {
            Self::WrongRole => true,
            _ => {
                matches!(status, 408 | 416 | 429 | 499 | 500 | 507 | 544) || matches!(self, Self::NoRoute(..))
            }
        };
        Wire { status: StatusCode::from_u16(status).expect("a status of the table"), error, code, as_is }
    }
}

/// What the reference's library says of a refused token (CONTRACT.md C03).
fn jwt_message(error: &TokenError) -> &'static str {
    match error {
        TokenError::Expired => "\"exp\" claim timestamp check failed",
        TokenError::NoApiKey
        | TokenError::Scheme
        | TokenError::Empty
        | TokenError::Repeated
        | TokenError::UnknownKey
        | TokenError::Unreadable
        | TokenError::Parts(_)
        | TokenError::Claims => "Invalid Compact JWS",
        _ => "signature verification failed",
    }
}

/// An error of PostgreSQL by its SQLSTATE.
impl From<RunError> for StorageError {
    fn from(error: RunError) -> Self {
        match error.code() {
            Some("42501") => Self::AccessDenied(denied_message(&error)),
            Some("23505") => Self::ResourceAlreadyExists,
            Some("23503") => Self::ParentMissing,
            Some("55P03") => Self::ResourceLocked,
            Some("57014") => Self::DatabaseTimeout,
            Some("25006") => Self::DatabaseReadOnly,
            Some("25P02") => Self::DatabaseTransactionAborted,
            Some("42P17") => Self::DatabaseInvalidObjectDefinition,
            Some("22P02") => Self::InvalidParameter("a value has the wrong form".to_owned()),
            Some("42703" | "42P01") => Self::DatabaseSchemaMismatch,
            Some("53300") => Self::TooManyConnections,
            _ => match error {
                RunError::PoolTimeout(_) => Self::TooManyConnections,
                other => Self::Database(other),
            },
        }
    }
}

/// Row-level security says the same of every table; other refusals may name what is not for all.
fn denied_message(error: &RunError) -> String {
    match error {
        RunError::Database(refusal) if refusal.message.contains("row-level security") => {
            "new row violates row-level security policy".to_owned()
        }
        _ => "Access denied".to_owned(),
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
