//! Callers, and tokens of theirs signed with the demo keys.

use std::sync::{Arc, OnceLock};

use banyan_identity::{Caller, Claims, Keyring};
use serde_json::{Map, Value, json};
use uuid::Uuid;

/// 2023-11-14, so that tokens are the same in every run.
const ISSUED: i64 = 1_700_000_000;
/// 2100-01-01.
const EXPIRES: i64 = 4_102_444_800;

/// The keyring of the demo keys.
///
/// # Panics
/// Never: the demo keys are valid.
pub fn keyring() -> &'static Keyring {
    static KEYRING: OnceLock<Keyring> = OnceLock::new();
    KEYRING.get_or_init(|| Keyring::new(&crate::config().keys).expect("the demo keys are valid"))
}

/// Claims as auth gives them, valid until 2100; `extra` wins over them, and null in it takes a
/// claim out.
#[must_use]
pub fn claims(role: &str, sub: Option<Uuid>, extra: Value) -> Map<String, Value> {
    let mut claims = Map::new();
    claims.insert("iss".into(), json!("http://127.0.0.1:54321/auth/v1"));
    claims.insert("aud".into(), json!("authenticated"));
    claims.insert("role".into(), json!(role));
    claims.insert("iat".into(), json!(ISSUED));
    claims.insert("exp".into(), json!(EXPIRES));
    if let Some(sub) = sub {
        claims.insert("sub".into(), json!(sub));
    }
    if let Value::Object(extra) = extra {
        claims.extend(extra);
    }
    claims.retain(|_, value| !value.is_null());
    claims
}

/// A token for any caller, signed ES256 with the demo key: `token("authenticated", Some(id),
/// json!({}))`.
///
/// # Panics
/// Never: claims are JSON.
#[must_use]
pub fn token(role: &str, sub: Option<Uuid>, extra: Value) -> String {
    keyring().sign(&claims(role, sub, extra)).expect("claims are JSON")
}

/// A caller of any role.
#[must_use]
pub fn caller(role: &str, sub: Option<Uuid>, extra: Value) -> Caller {
    Caller::new(Arc::new(Claims::from_map(claims(role, sub, extra))), role)
}

/// A signed-in user: role `authenticated`.
#[must_use]
pub fn user(id: Uuid) -> Caller {
    caller("authenticated", Some(id), Value::Null)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_good_for_the_demo_keyring() {
        let id = Uuid::from_u128(7);
        let token = token("authenticated", Some(id), json!({"email": "a@example.com"}));
        let claims = keyring().check_signature(&token).expect("accepted");
        assert_eq!(claims.subject(), Some(id));
        assert_eq!(claims.text("email"), Some("a@example.com"));
    }
}
