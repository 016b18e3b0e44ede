//! A row of `_banyan.storage_uploads`.

use time::OffsetDateTime;

use super::Version;

/// A resumable upload, as its row says.
#[derive(Debug, Clone)]
pub(crate) struct ResumableUpload {
    /// The version that the object will have.
    pub(crate) version: Version,
    pub(crate) bucket_id: String,
    pub(crate) name: String,
    /// Who began it: the claim `sub`. None for a caller without one.
    pub(crate) owner_id: Option<String>,
    /// Whether `service_role` began it.
    pub(crate) is_of_service: bool,
    pub(crate) upsert: bool,
    /// Bytes of the whole; none while the client has not told.
    pub(crate) length: Option<u64>,
    /// Bytes that are durable.
    pub(crate) received: u64,
    /// The header `Upload-Metadata`, as it was sent.
    pub(crate) metadata: String,
    /// By what the back end knows the parts.
    pub(crate) parts_id: String,
    /// The last bytes received, which are too few for a part.
    pub(crate) tail: Option<Tail>,
    /// The state of the MD5 over all received bytes.
    pub(crate) md5: Vec<u8>,
    /// Counts the writers. A writer writes only while it is the newest.
    pub(crate) generation: i64,
    pub(crate) expires_at: OffsetDateTime,
    /// Whether the object's row is written.
    pub(crate) is_finished: bool,
}

/// Bytes that lie under a key of their own until there are enough for a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tail {
    pub(crate) version: Version,
    /// Bytes.
    pub(crate) size: u64,
}

impl ResumableUpload {
    /// Whether all bytes are there.
    pub(crate) fn is_whole(&self) -> bool {
        self.length == Some(self.received)
    }
}
