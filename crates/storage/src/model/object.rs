//! A row of `storage.objects`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use time::OffsetDateTime;
use uuid::Uuid;

use super::Version;

/// A row of `storage.objects`, as far as answers need it.
#[derive(Debug, Clone)]
pub(crate) struct Object {
    pub(crate) id: Uuid,
    pub(crate) bucket_id: String,
    pub(crate) name: String,
    /// None for rows without bytes, such as those that a seed file inserted.
    pub(crate) version: Option<Version>,
    pub(crate) metadata: Option<ObjectMetadata>,
    pub(crate) user_metadata: Option<Map<String, Value>>,
    pub(crate) created_at: Option<OffsetDateTime>,
    pub(crate) updated_at: Option<OffsetDateTime>,
}

/// The column `metadata` of an object (CONTRACT.md U12).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ObjectMetadata {
    /// The entity tag, in quotes.
    #[serde(rename = "eTag", default)]
    pub(crate) e_tag: String,
    /// Bytes.
    #[serde(default)]
    pub(crate) size: u64,
    #[serde(default)]
    pub(crate) mimetype: String,
    #[serde(default)]
    pub(crate) cache_control: String,
    /// When the bytes were written, such as `2021-02-17T04:43:32.770Z`.
    #[serde(default)]
    pub(crate) last_modified: String,
    /// Bytes, once more.
    #[serde(default)]
    pub(crate) content_length: u64,
    #[serde(default)]
    pub(crate) http_status_code: u16,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) x_robots_tag: Option<String>,
}
