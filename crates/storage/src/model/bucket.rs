//! A row of `storage.buckets`.

/// A row of `storage.buckets`, as far as uploads and downloads need it.
#[derive(Debug, Clone)]
pub(crate) struct Bucket {
    pub(crate) id: String,
    pub(crate) public: bool,
    /// Bytes.
    pub(crate) file_size_limit: Option<u64>,
    pub(crate) allowed_mime_types: Option<Vec<String>>,
}
