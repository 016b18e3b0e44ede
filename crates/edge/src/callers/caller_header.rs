//! The headers that tell a function who calls (CONTRACT.md J03, J07).

use banyan_config::Function;
use banyan_identity::{ApiKeys, Caller, Claims, Credentials, Identified, Proof};
use http::{HeaderMap, HeaderName, HeaderValue, header::AUTHORIZATION};

const APIKEY: HeaderName = HeaderName::from_static("apikey");

/// Holds the claims of the verified caller as one line of JSON in ASCII. [`crate::http_mapping`]
/// drops this header if a client sends it, so that a function may believe it.
const CALLER: HeaderName = HeaderName::from_static("x-sb-caller");

/// The headers that say who calls, as the function sees them.
#[derive(Debug)]
pub(crate) enum CallerHeaders {
    /// The function verifies callers itself. Both headers pass as sent, and no caller is named
    /// (J07).
    AsSent,
    /// Only what was verified is passed on (J03).
    Verified(Option<Verified>),
}

/// A caller who was verified.
#[derive(Debug)]
pub(crate) struct Verified {
    authorization: HeaderValue,
    apikey: Option<HeaderValue>,
    caller: HeaderValue,
}

impl CallerHeaders {
    /// Decides by the headers of the request as the client sent them.
    pub(crate) fn of(function: &Function, keys: &ApiKeys, caller: &Identified, headers: &HeaderMap) -> Self {
        match (function.verify_jwt, caller) {
            (false, _) => Self::AsSent,
            (true, Ok(caller)) => Self::Verified(Verified::of(keys, caller, headers)),
            (true, Err(_)) => Self::Verified(None),
        }
    }

    /// Writes the headers to the request that the function sees.
    pub(crate) fn write(self, headers: &mut HeaderMap) {
        let Self::Verified(verified) = self else { return };
        headers.remove(AUTHORIZATION);
        headers.remove(APIKEY);
        let Some(Verified { authorization, apikey, caller }) = verified else { return };
        headers.insert(AUTHORIZATION, authorization);
        headers.insert(CALLER, caller);
        if let Some(apikey) = apikey {
            headers.insert(APIKEY, apikey);
        }
    }
}

impl Verified {
    /// Returns nothing for a caller without a token.
    fn of(keys: &ApiKeys, caller: &Caller, headers: &HeaderMap) -> Option<Self> {
        let credentials = Credentials::from_headers(headers).ok()?;
        let token = token(keys, caller.proof(), &credentials)?;
        let apikey = headers
            .get(APIKEY)
            .filter(|value| value.to_str().is_ok_and(|key| key == token || keys.is_key(key)));
        Some(Self {
            authorization: bearer(token)?,
            apikey: apikey.cloned(),
            caller: to_header_value(caller.claims())?,
        })
    }
}

/// The token that was verified. For a new-style key it is the legacy token that the key stands for.
fn token<'a>(keys: &'a ApiKeys, proof: Proof, credentials: &'a Credentials<'_>) -> Option<&'a str> {
    match proof {
        Proof::PublishableKey => Some(keys.anon_key()),
        Proof::SecretKey => Some(keys.service_role_key()),
        Proof::Authorization | Proof::ApiKey | Proof::None => credentials.text(proof),
    }
}

/// A token as `Authorization` holds it. Returns nothing if no header can hold it.
pub(crate) fn bearer(token: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::try_from(format!("Bearer {token}")).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// The claims as JSON in which everything but visible ASCII is escaped, so that a header can hold
/// them.
fn to_header_value(claims: &Claims) -> Option<HeaderValue> {
    let mut line = String::with_capacity(claims.json().len());
    for character in claims.json().chars() {
        match character {
            ' '..='~' => line.push(character),
            other => other.encode_utf16(&mut [0; 2]).iter().for_each(|unit| {
                line.push_str(&format!("\\u{unit:04x}"));
            }),
        }
    }
    let mut value = HeaderValue::try_from(line).ok()?;
    value.set_sensitive(true);
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_of_every_script_fit_in_a_header_and_come_back_the_same() {
        let claims = serde_json::json!({"email": "आशा@example.com", "x": "\u{7f}\n\"\\ \u{1F600}"});
        let map = claims.as_object().expect("an object").clone();
        let line = to_header_value(&Claims::from_map(map)).expect("it fits");
        let read: serde_json::Value = serde_json::from_str(line.to_str().expect("ASCII")).expect("JSON");
        assert_eq!(read, claims);
    }
}
