//! Whatever headers a client makes up, nobody is taken for somebody who was not proven.

use std::sync::LazyLock;

use http::{HeaderMap, HeaderName, HeaderValue};
use proptest::{prelude::*, sample::select};
use secrecy::ExposeSecret;
use serde_json::json;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::{
    Proof, Verifier,
    test_keys::{NOW, demo_keys, gateway, keyring},
};

/// The user whose token the client has.
const OWN: Uuid = Uuid::from_u128(1);
/// The user that the client would like to be.
const VICTIM: Uuid = Uuid::from_u128(2);

fn claims(sub: Uuid, role: &str, exp: OffsetDateTime) -> serde_json::Value {
    json!({"sub": sub, "role": role, "exp": exp.unix_timestamp()})
}

/// What a client may come by: its own token, public keys, and all that it can write by itself.
fn values() -> Vec<Vec<u8>> {
    let (keys, keyring) = (demo_keys(), keyring());
    let own = keyring.sign(&claims(OWN, "authenticated", NOW + Duration::HOUR)).expect("signed");
    let ended = keyring.sign(&claims(VICTIM, "authenticated", NOW - Duration::HOUR)).expect("signed");
    let forged: Vec<String> = ["authenticated", "service_role"]
        .iter()
        .map(|role| base64url(&claims(VICTIM, role, NOW + Duration::HOUR).to_string()))
        .collect();
    let (head, _) = own.split_once('.').expect("three parts");
    let tail = own.rsplit('.').next().expect("three parts");
    let mut texts = vec![own.clone(), ended, keys.anon_key.clone(), keys.publishable_key.clone()];
    for payload in &forged {
        texts.push(format!("sb_.{payload}.x"));
        texts.push(format!("sb_secret_.{payload}.x"));
        texts.push(format!("{}.{payload}.x", keys.publishable_key));
        texts.push(format!("{head}.{payload}.{tail}"));
        texts.push(format!("{}.{payload}.", base64url(r#"{"alg":"none"}"#)));
    }
    texts.extend(["", " ", "sb_", "sb_secret_", "null", "undefined"].map(str::to_owned));
    let prefixes = ["", "Bearer ", "bearer ", "BEARER  ", "Bearer\t", "Basic ", "Bearer Bearer ", "Bearer"];
    let texts = texts.iter().flat_map(|text| prefixes.map(|prefix| format!("{prefix}{text}").into_bytes()));
    texts
        .chain([b"Bearer \xe0\xa4\x85".to_vec(), b"\xff".to_vec(), own.to_uppercase().into_bytes()])
        .collect()
}

fn base64url(text: &str) -> String {
    use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
    URL_SAFE_NO_PAD.encode(text)
}

fn headers() -> impl Strategy<Value = HeaderMap> {
    let name =
        select(vec!["authorization", "apikey", "x-sb-caller", "sb-api-key", "x-forwarded-authorization"]);
    let line = (name, select(values()));
    proptest::collection::vec(line, 0..5).prop_map(|lines| {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            let value = HeaderValue::from_bytes(&value).expect("no control character but the tabulator");
            headers.append(HeaderName::from_static(name), value);
        }
        headers
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..Default::default() })]

    // rows: server/GW-KEYS server/GW-FOREIGN-KEY
    #[test]
    fn no_headers_make_a_caller_who_was_not_proven(headers in headers()) {
        static GATEWAY: LazyLock<Verifier> = LazyLock::new(|| gateway(&demo_keys()));
        let Ok(caller) = GATEWAY.identify(&headers, NOW) else {
            return Ok(());
        };
        prop_assert_ne!(caller.claims().subject(), Some(VICTIM));
        prop_assert_ne!(caller.role(), "service_role");
        let is_user = caller.claims().subject() == Some(OWN);
        prop_assert_eq!(caller.role() == "authenticated", is_user);
        if is_user {
            prop_assert!(matches!(caller.proof(), Proof::Authorization | Proof::ApiKey));
        }
        for name in ["authorization", "apikey"] {
            prop_assert!(headers.get_all(name).iter().count() < 2, "{name} is there twice");
        }
    }
}

#[test]
fn the_secret_key_alone_makes_the_service_role() {
    let keys = demo_keys();
    let bearer = format!("Bearer {}", keys.secret_key.expose_secret());
    let headers = [("authorization", bearer)].map(|(name, value)| {
        (HeaderName::from_static(name), HeaderValue::try_from(value).expect("a header value"))
    });
    let caller = gateway(&keys).identify(&headers.into_iter().collect(), NOW);
    let caller = caller.expect("identified");
    assert_eq!((caller.role(), caller.proof()), ("service_role", Proof::SecretKey));
}
