//! Rows of `storage.s3_multipart_uploads` and of its parts.

use serde_json::{Map, Value};
use time::OffsetDateTime;

use super::Version;

/// A row of `storage.s3_multipart_uploads`.
#[derive(Debug, Clone)]
pub(crate) struct MultipartUpload {
    /// Its id in the back end, too.
    pub(crate) id: String,
    pub(crate) bucket_id: String,
    pub(crate) key: String,
    /// The version that the object will have.
    pub(crate) version: Version,
    /// Who began it: the claim `sub`. None for a caller without one.
    pub(crate) owner_id: Option<String>,
    /// Whether `service_role` began it.
    pub(crate) is_of_service: bool,
    pub(crate) mimetype: String,
    pub(crate) cache_control: String,
    pub(crate) user_metadata: Option<Map<String, Value>>,
    /// Proves that the row is of this service.
    pub(crate) signature: String,
}

/// A row of `storage.s3_multipart_uploads_parts`.
#[derive(Debug, Clone)]
pub(crate) struct UploadedPart {
    pub(crate) number: u32,
    /// Bytes.
    pub(crate) size: u64,
    /// In quotes.
    pub(crate) e_tag: String,
    /// By what the back end knows it.
    pub(crate) id: String,
    pub(crate) created_at: OffsetDateTime,
}
