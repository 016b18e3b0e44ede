//! The form of each error on the wire, in one table (CONTRACT.md, Errors).

use http::StatusCode;

use super::StorageError;

/// How an error is told: the number in `statusCode`, the words in `error` and `code`.
pub(crate) struct Wire {
    pub(crate) status: StatusCode,
    pub(crate) error: &'static str,
    pub(crate) code: &'static str,
    /// The status of an answer of REST.
    pub(crate) rest: RestStatus,
}

/// The status of an answer of REST (CONTRACT.md E01). TUS and S3 answer with the real one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RestStatus {
    /// 400, whatever went wrong.
    Hidden,
    /// The real one.
    Real,
}

impl StorageError {
    /// Its form on the wire.
    pub(crate) fn wire(&self) -> Wire {
        match self {
            Self::NoSuchBucket => hidden(404, "Bucket not found", "NoSuchBucket"),
            Self::NoSuchKey => hidden(404, "not_found", "NoSuchKey"),
            Self::NoBytes => hidden(404, "Not found", "NoSuchKey"),
            Self::NoSuchUpload => named(404, "NoSuchUpload"),
            Self::BucketAlreadyExists => hidden(409, "Duplicate", "BucketAlreadyExists"),
            Self::KeyAlreadyExists => hidden(409, "Duplicate", "KeyAlreadyExists"),
            Self::ResourceAlreadyExists => hidden(409, "Duplicate", "ResourceAlreadyExists"),
            Self::ResourceNotEmpty => named(409, "ResourceNotEmpty"),
            Self::TooManyToEmpty(_) => named(409, "InvalidRequest"),
            Self::AccessDenied(_) | Self::BearerRefused(_) | Self::NoBearer => {
                hidden(403, "Unauthorized", "AccessDenied")
            }
            Self::WrongRole => real(403, "Unauthorized", "AccessDenied"),
            Self::InvalidJwt(_) => named(400, "InvalidJWT"),
            Self::InvalidSignature(_) => named(400, "InvalidSignature"),
            Self::ExpiredToken(_) => named(400, "ExpiredToken"),
            Self::SignatureDoesNotMatch => named(403, "SignatureDoesNotMatch"),
            Self::InvalidAccessKeyId => named(403, "InvalidAccessKeyId"),
            Self::RequestTimeTooSkewed => named(403, "RequestTimeTooSkewed"),
            Self::InvalidBucketName => hidden(400, "Invalid Input", "InvalidBucketName"),
            Self::InvalidKey(_) => named(400, "InvalidKey"),
            Self::InvalidMimeType(_) | Self::UnsupportedMediaType => {
                hidden(415, "invalid_mime_type", "InvalidMimeType")
            }
            Self::EntityTooLarge | Self::QuotaExceeded => hidden(413, "Payload too large", "EntityTooLarge"),
            Self::BodyTooLarge => real(413, "Payload too large", "EntityTooLarge"),
            Self::InvalidRange => real(416, "invalid_range", "InvalidRange"),
            Self::InvalidRequest(_) => named(400, "InvalidRequest"),
            Self::Validation(_) | Self::EmptyJson | Self::MalformedJson => {
                hidden(400, "Error", "InvalidRequest")
            }
            Self::MissingParameter(_) => named(400, "MissingParameter"),
            Self::InvalidParameter(_) => named(400, "InvalidParameter"),
            Self::InvalidXRobotsTag(_) => hidden(400, "invalid_x_robots_tag", "InvalidRequest"),
            Self::MalformedXml => named(400, "MalformedXML"),
            Self::InvalidUploadSignature => named(400, "InvalidUploadSignature"),
            Self::MissingContentLength => named(400, "MissingContentLength"),
            Self::InvalidChecksum => named(400, "InvalidChecksum"),
            Self::ContentHashMismatch => named(400, "XAmzContentSHA256Mismatch"),
            Self::IncompleteBody => named(400, "IncompleteBody"),
            Self::MissingPart(_) => named(400, "MissingPart"),
            Self::InvalidPartOrder => named(400, "InvalidPartOrder"),
            Self::EntityTooSmall => named(400, "EntityTooSmall"),
            Self::InvalidCopyRange => hidden(400, "invalid_range", "InvalidRange"),
            Self::PreconditionFailed => named(412, "PreconditionFailed"),
            Self::NoSuchVersion => named(404, "NoSuchVersion"),
            Self::NotImplemented => named(501, "NotImplemented"),
            Self::ResourceLocked => named(423, "ResourceLocked"),
            Self::ResourceReferenced => named(409, "ResourceReferenced"),
            Self::ParentMissing => named(404, "InvalidRequest"),
            Self::DatabaseTimeout => real(544, "DatabaseTimeout", "DatabaseTimeout"),
            Self::DatabaseReadOnly => named(503, "DatabaseReadOnly"),
            Self::DatabaseInvalidObjectDefinition => named(503, "DatabaseInvalidObjectDefinition"),
            Self::DatabaseSchemaMismatch => named(503, "DatabaseSchemaMismatch"),
            Self::DatabaseTransactionAborted => {
                real(500, "DatabaseTransactionAborted", "DatabaseTransactionAborted")
            }
            Self::FeatureNotEnabled(_) => named(409, "FeatureNotEnabled"),
            Self::TooManyConnections => real(429, "too_many_connections", "SlowDown"),
            Self::SlowDown | Self::TooManyUploads => real(429, "SlowDown", "SlowDown"),
            Self::Aborted => real(499, "Request aborted", "Aborted"),
            Self::NoRoute(..) | Self::NoGroup(..) | Self::ImagesOff => {
                real(404, "Not Found", "InvalidRequest")
            }
            Self::RequestTimeout => real(408, "RequestTimeout", "InvalidRequest"),
            Self::Tus(refusal) => real(refusal.status(), "TusError", "TusError"),
            Self::NoSpace => real(507, "InsufficientStorage", "InsufficientStorage"),
            Self::Database(_) | Self::Blob(_) | Self::Sign(_) | Self::Internal(_) => {
                real(500, "Internal", "InternalError")
            }
        }
    }
}

/// An error that REST answers with 400.
fn hidden(status: u16, error: &'static str, code: &'static str) -> Wire {
    Wire { rest: RestStatus::Hidden, ..real(status, error, code) }
}

/// The same, where `error` and `code` are one word.
fn named(status: u16, code: &'static str) -> Wire {
    hidden(status, code, code)
}

/// An error that REST answers with its real status.
fn real(status: u16, error: &'static str, code: &'static str) -> Wire {
    let status = StatusCode::from_u16(status).expect("a status of the table");
    Wire { status, error, code, rest: RestStatus::Real }
}
