//! Tokens of sockets and channels: checked, and what is wrong with one.

use banyan_identity::{Caller, Identified, Proof, TokenError};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Map, Value};
use time::OffsetDateTime;

use crate::error::ChannelError;

/// The caller that a token names, if it holds now (CONTRACT.md T2, T3). `identified` is what the
/// gateway found by `token`, or by a key.
///
/// # Errors
/// What is wrong with the token.
pub(crate) fn check(
    identified: Identified,
    token: Option<&str>,
    now: OffsetDateTime,
) -> Result<Caller, ChannelError> {
    let claims = token.map(unverified_claims);
    let caller =
        identified.map_err(|error| refusal(&error, claims.as_ref().and_then(Option::as_ref), now))?;
    let is_of_token = matches!(caller.proof(), Proof::Authorization | Proof::ApiKey);
    if is_of_token && claims.flatten().is_some_and(|claims| !has_required(&claims)) {
        return Err(ChannelError::MissingClaims);
    }
    check_expiry(&caller, now)?;
    Ok(caller)
}

/// Whether a caller's token still holds (CONTRACT.md T7).
///
/// # Errors
/// [`ChannelError::Expired`] where it does not.
pub(crate) fn check_expiry(caller: &Caller, now: OffsetDateTime) -> Result<(), ChannelError> {
    match caller.expires_at() {
        Some(end) if end <= now => Err(ChannelError::Expired((now - end).whole_seconds())),
        _ => Ok(()),
    }
}

fn refusal(error: &TokenError, claims: Option<&Map<String, Value>>, now: OffsetDateTime) -> ChannelError {
    let Some(claims) = claims else { return ChannelError::MalformedToken };
    match error {
        TokenError::Expired => {
            let exp = claims.get("exp").and_then(Value::as_f64).unwrap_or_default();
            ChannelError::Expired(now.unix_timestamp() - exp as i64)
        }
        TokenError::Signature | TokenError::WrongKey | TokenError::LegacyOff => ChannelError::Signature,
        TokenError::Algorithm(_) | TokenError::NoKey | TokenError::NoSecret => ChannelError::NoKey,
        TokenError::NotANumber(_) => ChannelError::MissingClaims,
        TokenError::Parts(_) | TokenError::Claims | TokenError::Encrypted => ChannelError::MalformedToken,
        _ => ChannelError::Unknown,
    }
}

/// The claims of a token whose signature nobody has checked; none where it is no token.
fn unverified_claims(token: &str) -> Option<Map<String, Value>> {
    let mut parts = token.split('.');
    let (_, claims, _) = (parts.next()?, parts.next()?, parts.next()?);
    parts.next().is_none().then_some(())?;
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).ok()?).ok()
}

fn has_required(claims: &Map<String, Value>) -> bool {
    ["role", "exp"].iter().all(|name| claims.contains_key(*name))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn checked(error: TokenError, claims: &Value) -> ChannelError {
        let claims = URL_SAFE_NO_PAD.encode(claims.to_string());
        let token = format!("e30.{claims}.AAAA");
        check(Err(error), Some(&token), OffsetDateTime::UNIX_EPOCH + time::Duration::seconds(100))
            .unwrap_err()
    }

    // rows: T3 InvalidJWTToken JwtSignatureError MalformedJWT UnknownErrorOnChannel
    #[test]
    fn a_refused_token_is_refused_in_the_words_of_the_contract() {
        let claims = json!({"exp": 40.5});
        assert_eq!(checked(TokenError::Expired, &claims), ChannelError::Expired(60));
        assert_eq!(checked(TokenError::WrongKey, &claims), ChannelError::Signature);
        assert_eq!(checked(TokenError::NotANumber("exp"), &claims), ChannelError::MissingClaims);
        assert_eq!(checked(TokenError::Expired, &json!([])), ChannelError::MalformedToken);
        let unknown = checked(TokenError::NotYetValid, &claims);
        assert_eq!(unknown.reason(), "Unknown Error on Channel", "without a code");
    }
}
