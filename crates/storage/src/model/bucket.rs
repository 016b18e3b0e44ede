//! A row of `storage.buckets`.

use time::OffsetDateTime;

/// A row of `storage.buckets`.
#[derive(Debug, Clone)]
pub(crate) struct Bucket {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) owner: Option<String>,
    pub(crate) public: bool,
    pub(crate) file_size_limit: Option<u64>,
    pub(crate) allowed_mime_types: Option<Vec<String>>,
    pub(crate) created_at: Option<OffsetDateTime>,
    pub(crate) updated_at: Option<OffsetDateTime>,
}
