//! The caller of a function. With `verify_jwt = true` the host verifies the token before the
//! function runs, and names its user in a header that no client can set. A caller is read only from
//! that header; the token in `Authorization` is never decoded here. Without that setting there is
//! no caller, and [`crate::auth`] has to be asked. A key is compared with those of the project,
//! which needs no host.

use std::collections::BTreeMap;

use http::HeaderMap;
use serde::Deserialize;

use crate::env::Env;
use crate::error::FunctionRefusal;

/// The header in which the host names the verified caller: the claims of the token as JSON.
pub const HEADER: &str = "x-sb-caller";

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

/// Reads the signed-in user whom the host verified. Keys of the project also pass its check, so
/// role and id are looked at.
///
/// # Errors
/// [`FunctionRefusal::Unauthenticated`] for anything but role `authenticated` with a UUID as `sub`,
/// and for everybody where the function has `verify_jwt = false` in config.toml.
pub fn user(headers: &HeaderMap) -> Result<User, FunctionRefusal> {
    let claims = claims(headers).ok_or(FunctionRefusal::Unauthenticated)?;
    let id = claims.sub.to_ascii_lowercase();
    if claims.role == "authenticated" && is_uuid(&id) {
        Ok(User { id, email: claims.email.unwrap_or_default() })
    } else {
        Err(FunctionRefusal::Unauthenticated)
    }
}

/// Accepts only the service role: schedules and other parts of the stack. It is recognised by a
/// secret key of the project as the token, or in the header `apikey` if no token is sent. Other
/// tokens of this role are refused.
///
/// # Errors
/// [`FunctionRefusal::Unauthenticated`] without any, [`FunctionRefusal::Forbidden`] for another
/// one.
pub fn require_service_role(headers: &HeaderMap, env: &Env) -> Result<(), FunctionRefusal> {
    let sent = token(headers).or_else(|| apikey(headers)).ok_or(FunctionRefusal::Unauthenticated)?;
    let is_secret = is_key(sent, env, "SUPABASE_SERVICE_ROLE_KEY", "SUPABASE_SECRET_KEYS");
    if is_secret { Ok(()) } else { Err(FunctionRefusal::Forbidden) }
}

/// Accepts callers with a key of the project, publishable or secret: in the header `apikey`, as
/// supabase-js sends it, or without that header as the token, as schedules send it.
///
/// # Errors
/// [`FunctionRefusal::NoKey`] for anybody else.
pub fn require_key(headers: &HeaderMap, env: &Env) -> Result<(), FunctionRefusal> {
    let sent = apikey(headers).or_else(|| token(headers)).ok_or(FunctionRefusal::NoKey)?;
    let is_known = is_key(sent, env, "SUPABASE_ANON_KEY", "SUPABASE_PUBLISHABLE_KEYS")
        || is_key(sent, env, "SUPABASE_SERVICE_ROLE_KEY", "SUPABASE_SECRET_KEYS");
    if is_known { Ok(()) } else { Err(FunctionRefusal::NoKey) }
}

/// Returns whether this is the key in one variable, or one of the named keys in another.
fn is_key(sent: &str, env: &Env, alone: &str, named: &str) -> bool {
    let named = env.get(named).and_then(|keys| serde_json::from_str::<BTreeMap<String, String>>(keys).ok());
    let named = named.into_iter().flat_map(BTreeMap::into_values);
    let all = env.get(alone).map(str::to_owned).into_iter().chain(named);
    all.filter(|known| !known.is_empty()).any(|known| is_same(known.as_bytes(), sent.as_bytes()))
}

/// Compares every byte, so that the time reveals nothing about the key.
fn is_same(known: &[u8], sent: &[u8]) -> bool {
    known.len() == sent.len() && known.iter().zip(sent).fold(0, |different, (a, b)| different | (a ^ b)) == 0
}

fn apikey(headers: &HeaderMap) -> Option<&str> {
    headers.get("apikey")?.to_str().ok()
}

fn token(headers: &HeaderMap) -> Option<&str> {
    let header = headers.get(http::header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = header.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn claims(headers: &HeaderMap) -> Option<Claims> {
    serde_json::from_slice(headers.get(HEADER)?.as_bytes()).ok()
}

/// Returns whether a text has the form of a UUID.
pub fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLAIMS: &str =
        r#"{"role":"authenticated","sub":"3F2504E0-4F89-41D3-9A0C-0305E82C3301","email":"a@b.in"}"#;

    fn sent(name: &str, value: &str) -> HeaderMap {
        let header: (http::HeaderName, _) = (name.parse().unwrap(), value.parse().unwrap());
        HeaderMap::from_iter([header])
    }

    #[test]
    fn a_user_is_the_one_whom_the_host_verified() {
        let user = user(&sent(HEADER, CLAIMS)).unwrap();
        assert_eq!((&*user.id, &*user.email), ("3f2504e0-4f89-41d3-9a0c-0305e82c3301", "a@b.in"));
    }

    #[test]
    fn what_a_client_sends_as_a_token_makes_no_user() {
        use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
        let payload = URL_SAFE_NO_PAD.encode(CLAIMS);
        for token in [format!("h.{payload}.s"), format!("sb_.{payload}.x"), format!("sb_secret_.{payload}")] {
            let headers = sent("authorization", &format!("Bearer {token}"));
            assert_eq!(user(&headers), Err(FunctionRefusal::Unauthenticated), "{token}");
        }
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
            assert_eq!(user(&sent(HEADER, claims)), Err(FunctionRefusal::Unauthenticated), "{claims}");
        }
        assert_eq!(user(&HeaderMap::new()), Err(FunctionRefusal::Unauthenticated));
    }

    #[test]
    fn a_key_of_the_project_and_nothing_else_is_accepted() {
        let keys = r#"{"default":"sb_publishable_a"}"#;
        let env = Env::from([("SUPABASE_ANON_KEY", "anon"), ("SUPABASE_PUBLISHABLE_KEYS", keys)]);
        let ask = |key: &str| require_key(&sent("apikey", key), &env);
        assert!(ask("anon").is_ok() && ask("sb_publishable_a").is_ok());
        for wrong in ["", "sb_publishable_b", "anom", "ano"] {
            assert_eq!(ask(wrong), Err(FunctionRefusal::NoKey), "{wrong}");
        }
        assert_eq!(require_key(&HeaderMap::new(), &env), Err(FunctionRefusal::NoKey));
        let bearer = |token: &str| require_key(&sent("authorization", &format!("Bearer {token}")), &env);
        assert!(bearer("anon").is_ok(), "as schedules and callers without apikey send it");
        assert_eq!((bearer("anom"), bearer("")), (Err(FunctionRefusal::NoKey), Err(FunctionRefusal::NoKey)));
    }

    #[test]
    fn only_the_service_role_passes_as_service() {
        let secret = r#"{"default":"sb_secret_a"}"#;
        let env = Env::from([
            ("SUPABASE_ANON_KEY", "anon"),
            ("SUPABASE_SERVICE_ROLE_KEY", "service"),
            ("SUPABASE_SECRET_KEYS", secret),
        ]);
        let ask = |name: &str, value: &str| require_service_role(&sent(name, value), &env);
        assert!(ask("authorization", "Bearer service").is_ok());
        assert!(ask("apikey", "service").is_ok() && ask("apikey", "sb_secret_a").is_ok());
        assert_eq!(ask("authorization", "Bearer anon"), Err(FunctionRefusal::Forbidden));
        assert_eq!(require_service_role(&HeaderMap::new(), &env), Err(FunctionRefusal::Unauthenticated));
        let forged = sent("authorization", "Bearer h.eyJyb2xlIjoic2VydmljZV9yb2xlIn0.s");
        assert_eq!(
            require_service_role(&forged, &env),
            Err(FunctionRefusal::Forbidden),
            "anybody can write that"
        );
        assert_eq!(require_service_role(&forged, &Env::default()), Err(FunctionRefusal::Forbidden));
    }
}
