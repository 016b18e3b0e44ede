//! The object that a copy is of: the header `x-amz-copy-source`.

use std::ops::Range;

use http::{HeaderMap, HeaderName};
use percent_encoding::percent_decode_str;

use super::{listing::NULL_VERSION, request::SignedRequest};
use crate::{
    domain::download::{Wanted, names, wanted},
    error::StorageError,
    model::{Object, ObjectPath},
    store::objects,
    wire::parse_http_date,
};

/// An object that the caller may read, and that meets the conditions of the request.
pub(super) struct CopySource {
    pub(super) object: Object,
}

impl CopySource {
    /// Finds the object that the request names.
    ///
    /// # Errors
    /// `NoSuchKey` also where the caller may not read it, `PreconditionFailed` for a condition.
    pub(super) async fn of(request: &SignedRequest) -> Result<Self, StorageError> {
        let header = request.header("x-amz-copy-source").unwrap_or_default();
        let path = read(header, request.exchange.service.settings.unicode_names)?;
        let object = objects::find(request.exchange.as_caller()?, &path).await?;
        let object = object.ok_or(StorageError::NoSuchKey)?;
        check_conditions(&request.exchange.parts.headers, &object)?;
        Ok(Self { object })
    }

    /// Bytes of the object.
    pub(super) fn size(&self) -> u64 {
        self.object.metadata.as_ref().map_or(0, |metadata| metadata.size)
    }

    /// The range that `x-amz-copy-source-range` names; all of it without.
    pub(super) fn range(&self, header: Option<&str>) -> Result<Range<u64>, StorageError> {
        match header.map(|header| wanted(header, self.size())) {
            None => Ok(0..self.size()),
            Some(Ok(Wanted::Part(range))) => Ok(range),
            Some(_) => Err(StorageError::InvalidCopyRange),
        }
    }
}

/// Reads `/bucket/key` or `bucket/key`, percent-encoded. There is one version to name.
fn read(header: &str, unicode: bool) -> Result<ObjectPath, StorageError> {
    let (header, version) = header.split_once("?versionId=").unwrap_or((header, NULL_VERSION));
    if version != NULL_VERSION {
        return Err(StorageError::NoSuchVersion);
    }
    let path = percent_decode_str(header).decode_utf8().map_err(|_| MISSING)?;
    let (bucket, key) = path.trim_start_matches('/').split_once('/').ok_or(MISSING)?;
    ObjectPath::new(bucket, key, unicode)
}

const MISSING: StorageError = StorageError::MissingParameter("CopySource");

/// The conditions of a copy. As in S3, a tag that fits makes the date beside it count no more.
fn check_conditions(headers: &HeaderMap, object: &Object) -> Result<(), StorageError> {
    let text = |name: &'static str| headers.get(HeaderName::from_static(name))?.to_str().ok();
    let date = |name| text(name).and_then(parse_http_date);
    let tag = object.metadata.as_ref().map(|metadata| metadata.e_tag.as_str());
    let written_at = object.updated_at.and_then(|time| time.replace_nanosecond(0).ok());
    let is_newer = |date| written_at.is_some_and(|time| time > date);
    let fits = match (text("x-amz-copy-source-if-match"), date("x-amz-copy-source-if-unmodified-since")) {
        (Some(tags), _) => names(tags, tag),
        (None, Some(date)) => !is_newer(date),
        (None, None) => true,
    };
    let is_wanted =
        match (text("x-amz-copy-source-if-none-match"), date("x-amz-copy-source-if-modified-since")) {
            (Some(tags), _) => !names(tags, tag),
            (None, Some(date)) => is_newer(date),
            (None, None) => true,
        };
    if fits && is_wanted { Ok(()) } else { Err(StorageError::PreconditionFailed) }
}
