//! Signed URLs (CONTRACT.md S01 to S08).

use banyan_identity::{Purpose, PurposeToken};
use serde_json::{Map, Value};
use time::{Duration, OffsetDateTime};

use crate::{context::ServiceContext, error::StorageError, request_context::RequestContext};

/// The claim that says how an image is rendered.
pub(crate) const TRANSFORMATIONS: &str = "transformations";

/// What a signed URL opens.
#[derive(Debug)]
pub(crate) struct Grant {
    pub(crate) purpose: Purpose,
    /// `bucket/name`.
    pub(crate) url: String,
    /// Further claims.
    pub(crate) claims: Map<String, Value>,
    pub(crate) expires_at: OffsetDateTime,
}

impl Grant {
    /// The token of its URL.
    pub(crate) fn sign(
        self,
        service: &ServiceContext,
        context: &RequestContext,
    ) -> Result<String, StorageError> {
        let Self { purpose, url, claims, expires_at } = self;
        let token = PurposeToken { purpose, url, claims, expires_at };
        Ok(token.sign(&service.keyring, context.now)?)
    }
}

/// When a URL ends that is valid for so many seconds.
pub(crate) fn end(now: OffsetDateTime, seconds: i64) -> Result<OffsetDateTime, StorageError> {
    now.checked_add(Duration::seconds(seconds))
        .ok_or_else(|| StorageError::Validation("body/expiresIn is too large".to_owned()))
}
