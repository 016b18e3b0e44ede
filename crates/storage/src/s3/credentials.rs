//! Who holds an access key (CONTRACT.md X01).

use banyan_identity::{Caller, Verifier};
use http::{HeaderMap, HeaderValue, header::AUTHORIZATION};
use secrecy::ExposeSecret;
use time::OffsetDateTime;

use super::signature::{Claim, SigningKey};
use crate::{context::ServiceContext, error::StorageError};

/// The access key of sessions: what a project of one machine is called.
const PROJECT: &str = "stub";

/// The key that must have signed, and who calls if it has. A request with a session token is of the
/// token's user; one without is of the holder of the access key, who acts as `service_role`.
pub(super) fn find(
    service: &ServiceContext,
    claim: &Claim,
    now: OffsetDateTime,
) -> Result<(SigningKey, Caller), StorageError> {
    let s3 = &service.settings.s3_protocol;
    check_region(&s3.region, &claim.scope.region)?;
    match &claim.session_token {
        Some(token) if claim.access_key == PROJECT => {
            let key = SigningKey::new(&service.anon_key, &claim.scope);
            Ok((key, of_session(&service.verifier, token, now)?))
        }
        None if claim.access_key == s3.access_key_id => {
            let key = SigningKey::new(s3.secret_access_key.expose_secret(), &claim.scope);
            Ok((key, Caller::service()))
        }
        _ => Err(StorageError::InvalidAccessKeyId),
    }
}

/// Clients that have no region to name say `auto` or `us-east-1`.
fn check_region(own: &str, named: &str) -> Result<(), StorageError> {
    let is_known = [own, "auto", "us-east-1", ""].contains(&named);
    if is_known { Ok(()) } else { Err(StorageError::SignatureDoesNotMatch) }
}

fn of_session(verifier: &Verifier, token: &str, now: OffsetDateTime) -> Result<Caller, StorageError> {
    let bearer = HeaderValue::from_str(&format!("Bearer {token}"));
    let bearer = bearer.map_err(|_| StorageError::InvalidSignature("Invalid session token"))?;
    let headers = HeaderMap::from_iter([(AUTHORIZATION, bearer)]);
    verifier.identify(&headers, now).map_err(StorageError::BearerRefused)
}
