//! Who is calling. With `verify_jwt = true` the gateway has verified the token's signature and expiry before the function
//! runs; here its claims are only read, so without that setting they prove nothing. Ask [`crate::auth`] then.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::HeaderMap;
use serde::Deserialize;

use crate::env::Env;
use crate::error::Refusal;

/// A signed-in user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// The user's id, a UUID in lower case.
    pub id: String,
    /// The address that the token names; empty without one.
    pub email: String,
}

#[derive(Deserialize)]
struct Claims {
    #[serde(default)]
    role: String,
    #[serde(default)]
    sub: String,
    #[serde(default)]
    email: Option<String>,
}

/// Reads the signed-in user. The anon key also passes the gateway's check, so role and id are looked at.
///
/// # Errors
/// [`Refusal::Unauthenticated`] for anything but role `authenticated` with a UUID as `sub`.
pub fn user(headers: &HeaderMap) -> Result<User, Refusal> {
    let claims = claims(headers).ok_or(Refusal::Unauthenticated)?;
    let id = claims.sub.to_ascii_lowercase();
    if claims.role == "authenticated" && is_uuid(&id) {
        Ok(User { id, email: claims.email.unwrap_or_default() })
    } else {
        Err(Refusal::Unauthenticated)
    }
}

/// Lets only the service role pass: schedules and other parts of the stack.
///
/// # Errors
/// [`Refusal::Unauthenticated`] without a readable token, [`Refusal::Forbidden`] for another role.
pub fn require_service_role(headers: &HeaderMap) -> Result<(), Refusal> {
    let claims = claims(headers).ok_or(Refusal::Unauthenticated)?;
    if claims.role == "service_role" { Ok(()) } else { Err(Refusal::Forbidden) }
}

/// Lets pass whoever sends a key of the project, publishable or secret, in the header `apikey`, as supabase-js does.
///
/// # Errors
/// [`Refusal::NoKey`] for anybody else.
pub fn require_key(headers: &HeaderMap, env: &Env) -> Result<(), Refusal> {
    let sent = headers.get("apikey").and_then(|key| key.to_str().ok()).unwrap_or_default();
    let alone =
        ["SUPABASE_ANON_KEY", "SUPABASE_SERVICE_ROLE_KEY"].into_iter().filter_map(|name| env.get(name));
    let named =
        ["SUPABASE_PUBLISHABLE_KEYS", "SUPABASE_SECRET_KEYS"].into_iter().filter_map(|name| env.get(name));
    let named = named
        .filter_map(|keys| serde_json::from_str::<BTreeMap<String, String>>(keys).ok())
        .flat_map(BTreeMap::into_values);
    let is_known =
        alone.map(str::to_owned).chain(named).any(|known| is_same(known.as_bytes(), sent.as_bytes()));
    if is_known && !sent.is_empty() { Ok(()) } else { Err(Refusal::NoKey) }
}

/// Looks at every byte, so that the time it takes tells nothing of the key.
fn is_same(known: &[u8], sent: &[u8]) -> bool {
    known.len() == sent.len() && known.iter().zip(sent).fold(0, |different, (a, b)| different | (a ^ b)) == 0
}

fn claims(headers: &HeaderMap) -> Option<Claims> {
    let header = headers.get(http::header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = header.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("bearer") {
        return None;
    }
    let payload = token.trim().split('.').nth(1)?;
    let bytes = URL_SAFE_NO_PAD.decode(payload.trim_end_matches('=')).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// Whether a text has the form of a UUID.
pub(crate) fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(claims: &str) -> HeaderMap {
        let token = format!("h.{}.s", URL_SAFE_NO_PAD.encode(claims));
        HeaderMap::from_iter([(http::header::AUTHORIZATION, format!("Bearer {token}").parse().unwrap())])
    }

    #[test]
    fn a_user_token_gives_its_user_id() {
        let claims = r#"{"role":"authenticated","sub":"3F2504E0-4F89-41D3-9A0C-0305E82C3301"}"#;
        assert_eq!(user(&headers(claims)).unwrap().id, "3f2504e0-4f89-41d3-9a0c-0305e82c3301");
    }

    #[test]
    fn keys_and_tokens_without_a_user_are_refused() {
        for claims in [
            r#"{"role":"anon"}"#,
            r#"{"role":"service_role"}"#,
            r#"{"role":"authenticated"}"#,
            r#"{"role":"authenticated","sub":"not-a-uuid"}"#,
            r#"{"role":"anon","sub":"3f2504e0-4f89-41d3-9a0c-0305e82c3301"}"#,
            "not json",
        ] {
            assert_eq!(user(&headers(claims)), Err(Refusal::Unauthenticated), "{claims}");
        }
        assert_eq!(user(&HeaderMap::new()), Err(Refusal::Unauthenticated));
    }

    #[test]
    fn a_key_of_the_project_and_nothing_else_opens_the_door() {
        let keys = r#"{"default":"sb_publishable_a"}"#;
        let env = Env::from([("SUPABASE_ANON_KEY", "anon"), ("SUPABASE_PUBLISHABLE_KEYS", keys)]);
        let ask = |key: &str| {
            require_key(&HeaderMap::from_iter([("apikey".parse().unwrap(), key.parse().unwrap())]), &env)
        };
        assert!(ask("anon").is_ok() && ask("sb_publishable_a").is_ok());
        for wrong in ["", "sb_publishable_b", "anom", "ano"] {
            assert_eq!(ask(wrong), Err(Refusal::NoKey), "{wrong}");
        }
        assert_eq!(require_key(&HeaderMap::new(), &env), Err(Refusal::NoKey));
    }

    #[test]
    fn only_the_service_role_passes_as_service() {
        assert!(require_service_role(&headers(r#"{"role":"service_role"}"#)).is_ok());
        assert_eq!(require_service_role(&headers(r#"{"role":"authenticated"}"#)), Err(Refusal::Forbidden));
        assert_eq!(require_service_role(&HeaderMap::new()), Err(Refusal::Unauthenticated));
    }
}
