//! The token of a signed URL (CONTRACT.md S04, S05).

use banyan_identity::{Purpose, PurposeToken, TokenError};
use banyan_web::query_parameter;

use crate::{context::Exchange, error::StorageError};

/// Checks the query's `token`.
///
/// # Errors
/// `Validation` without one, `InvalidSignature` for a token of another object or purpose,
/// `InvalidJwt` for one that is damaged or has ended.
pub(crate) fn check(
    exchange: &Exchange,
    purpose: Purpose,
    bucket: &str,
    name: &str,
) -> Result<PurposeToken, StorageError> {
    let token = query_parameter(&exchange.parts.uri, "token").ok_or_else(|| {
        StorageError::Validation("querystring must have required property 'token'".to_owned())
    })?;
    let url = format!("{bucket}/{name}");
    let keyring = &exchange.service.keyring;
    PurposeToken::check(keyring, &token, (purpose, &url), exchange.context.now).map_err(|error| match error {
        TokenError::Purpose => StorageError::InvalidSignature("Invalid signature"),
        other => StorageError::InvalidJwt(other),
    })
}
