//! The times between which a signature counts.

use time::{Duration, OffsetDateTime};

use super::{Claim, Place};
use crate::error::StorageError;

/// How far the clock of a client may be off.
const SKEW: Duration = Duration::minutes(15);

/// Checks that a signature is neither of the future nor too old, and that its day is that of its
/// scope.
pub(in crate::s3) fn check(claim: &Claim, now: OffsetDateTime) -> Result<(), StorageError> {
    let signed_at = claim.signed_at()?;
    if !claim.date.starts_with(&claim.scope.day) || claim.scope.day.len() != 8 {
        return Err(StorageError::SignatureDoesNotMatch);
    }
    if signed_at > now + SKEW {
        return Err(StorageError::RequestTimeTooSkewed);
    }
    match claim.place {
        Place::Header if signed_at < now - SKEW => Err(StorageError::RequestTimeTooSkewed),
        Place::Query(life) if signed_at + life < now => {
            Err(StorageError::ExpiredToken("The provided token has expired."))
        }
        // A form is valid for as long as its policy says.
        Place::Header | Place::Query(_) | Place::Form => Ok(()),
    }
}
