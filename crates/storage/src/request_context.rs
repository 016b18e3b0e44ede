//! A request as policies and endpoints see it.

use banyan_identity::{Caller, Identified, Proof};
use http::Method;
use time::OffsetDateTime;

use crate::error::StorageError;

/// A request as policies and endpoints see it.
#[derive(Debug, Clone)]
pub(crate) struct RequestContext {
    /// Who asks; an error for a token that was refused.
    pub(crate) caller: Identified,
    pub(crate) now: OffsetDateTime,
    pub(crate) method: Method,
    /// The path with the prefix of the service, as it was sent.
    pub(crate) original_path: String,
    /// `request.headers` of PostgreSQL: a JSON object, without cookies.
    pub(crate) headers: String,
    /// What the request does, as `storage.operation()` tells policies (CONTRACT.md R08).
    pub(crate) operation: &'static str,
}

impl RequestContext {
    /// The caller of an endpoint that needs a token (CONTRACT.md C03). The gateway calls who
    /// presents nothing `anon`, which here is nobody.
    pub(crate) fn caller(&self) -> Result<&Caller, StorageError> {
        let caller = self.caller.as_ref().map_err(|error| StorageError::BearerRefused(error.clone()))?;
        let is_nobody = caller.proof() == Proof::None && caller.role() == "anon";
        if is_nobody { Err(StorageError::NoBearer) } else { Ok(caller) }
    }

    /// The caller of an endpoint that takes a bad token for none (CONTRACT.md C05).
    pub(crate) fn caller_if_any(&self) -> Option<&Caller> {
        self.caller().ok()
    }
}
