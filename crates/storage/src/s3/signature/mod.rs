//! Signatures by AWS Signature Version 4 (CONTRACT.md X02).
//!
//! What a request claims is in `claim`, what must have been signed in `canonical`, and how it is
//! signed in `key`. The files of this folder know no rows and no bytes of bodies.

/// The text that a client signs.
mod canonical;

/// The times between which a signature counts.
mod times;

/// What a signed form may hold.
mod policy;

/// Keys that are made of a secret for a day and a region.
mod key;

/// What a request says of its signature.
mod claim;

use http::{HeaderMap, Method};
use time::OffsetDateTime;

pub(super) use self::{
    claim::{Claim, PayloadHash, Place, Scope},
    key::SigningKey,
    policy::Policy,
    times::check as check_times,
};
use super::query::Query;
use crate::error::StorageError;

/// What of a request is signed.
pub(super) struct Signed<'a> {
    pub(super) method: &'a Method,
    /// The path as it was sent, with the prefix of the service.
    pub(super) path: &'a str,
    pub(super) query: &'a Query,
    pub(super) headers: &'a HeaderMap,
    /// The host that the client asked, for requests without the header `Host`.
    pub(super) host: Option<&'a str>,
}

impl Signed<'_> {
    /// Checks that `key` signed this request as `claim` says, at a time that counts now.
    pub(super) fn check(
        &self,
        claim: &Claim,
        key: &SigningKey,
        now: OffsetDateTime,
    ) -> Result<(), StorageError> {
        check_times(claim, now)?;
        canonical::check_signed_headers(self, claim)?;
        let is_signed = canonical::paths(self.path).iter().any(|path| {
            let request = canonical::request(self, claim, path);
            key.signed(&claim.string_to_sign(&request), &claim.signature)
        });
        if is_signed { Ok(()) } else { Err(StorageError::SignatureDoesNotMatch) }
    }
}

#[cfg(test)]
mod tests;
