use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use http::{HeaderName, HeaderValue};
use secrecy::ExposeSecret;
use serde_json::json;
use time::Duration;

use super::*;
use crate::{
    ApiKeys, NewKey,
    test_keys::{NOW, demo_keys, gateway, keyring, keys_of, new_key, user_token},
};

fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
    pairs.iter().map(|(n, v)| (HeaderName::from_static(n), v.parse().expect("a header value"))).collect()
}

fn identify(pairs: &[(&'static str, &str)], required: bool) -> Identified {
    let keys = demo_keys();
    let policy = VerifierPolicy::of_gateway(ApiKeys::new(&keys, required));
    Verifier { policy, ..gateway(&keys) }.identify(&headers(pairs), NOW)
}

fn role(pairs: &[(&'static str, &str)]) -> String {
    identify(pairs, false).expect("identified").role().to_owned()
}

// rows: server/GW-TOKENS
#[test]
fn what_auth_signs_is_verified_and_remembered() {
    let verifier = gateway(&demo_keys());
    let token = user_token(&verifier.keyring, NOW + Duration::hours(1));
    for _ in 0..2 {
        let claims = verifier.verify(&token, NOW).expect("verified");
        assert_eq!(claims.text("role"), Some("authenticated"));
        assert!(claims.subject().is_some());
    }
}

// rows: server/GW-TOKENS
#[test]
fn a_remembered_token_still_expires() {
    let verifier = gateway(&demo_keys());
    let token = user_token(&verifier.keyring, NOW + Duration::hours(1));
    verifier.verify(&token, NOW).expect("verified");
    assert_eq!(verifier.verify(&token, NOW + Duration::hours(2)).err(), Some(TokenError::Expired));
}

// rows: rest/T15
#[test]
fn thirty_seconds_of_clock_difference_are_forgiven() {
    let verifier = gateway(&demo_keys());
    let token = user_token(&verifier.keyring, NOW);
    assert!(verifier.verify(&token, NOW + Duration::seconds(29)).is_ok());
    assert_eq!(verifier.verify(&token, NOW + Duration::seconds(31)).err(), Some(TokenError::Expired));
}

// rows: server/GW-NO-KEY
#[test]
fn both_forms_of_both_keys_are_accepted() {
    let keys = demo_keys();
    assert_eq!(role(&[("apikey", &keys.anon_key)]), "anon");
    assert_eq!(role(&[("apikey", keys.service_role_key.expose_secret())]), "service_role");
    assert_eq!(role(&[("apikey", &keys.publishable_key)]), "anon");
    assert_eq!(role(&[("apikey", keys.secret_key.expose_secret())]), "service_role");
    let bearer = format!("Bearer {}", keys.secret_key.expose_secret());
    assert_eq!(role(&[("authorization", &bearer)]), "service_role");
    assert_eq!(role(&[]), "anon");
}

// rows: server/GW-FOREIGN-KEY
#[test]
fn an_sb_bearer_of_another_project_is_refused_whatever_apikey_says() {
    let keys = demo_keys();
    for bearer in ["Bearer sb_.e30.x", "bearer  sb_secret_x", "Bearer sb_", "Bearer sb_publishable_other"] {
        for apikey in [&keys.anon_key, &keys.publishable_key] {
            let refused = identify(&[("authorization", bearer), ("apikey", apikey)], false);
            assert_eq!(refused.err(), Some(TokenError::UnknownKey), "{bearer}");
        }
    }
}

// rows: server/GW-FOREIGN-KEY rest/T01
#[test]
fn a_header_that_is_there_twice_or_cannot_be_read_is_refused() {
    let (keys, verifier) = (demo_keys(), gateway(&demo_keys()));
    for name in ["authorization", "apikey"] {
        let name = HeaderName::from_static(name);
        let mut headers = HeaderMap::new();
        headers.append(&name, "".parse().expect("a header value"));
        headers.append(&name, keys.anon_key.parse().expect("a header value"));
        let refused = verifier.identify(&headers, NOW);
        assert_eq!(refused.err(), Some(TokenError::Repeated), "{name}");
        headers.insert(&name, HeaderValue::from_bytes(b"Bearer \xff").expect("a header value"));
        let refused = verifier.identify(&headers, NOW);
        assert_eq!(refused.err(), Some(TokenError::Unreadable), "{name}");
    }
}

// rows: server/GW-KEYS
#[test]
fn a_users_token_wins_over_the_api_key() {
    let (keys, token) = (demo_keys(), user_token(&keyring(), NOW + Duration::hours(1)));
    let token = format!("Bearer {token}");
    assert_eq!(role(&[("apikey", &keys.publishable_key), ("authorization", &token)]), "authenticated");
}

// rows: auth/B1
#[test]
fn another_scheme_is_refused_whatever_apikey_says() {
    let keys = demo_keys();
    for required in [false, true] {
        let refused = identify(&[("authorization", "Basic dTpw"), ("apikey", &keys.anon_key)], required);
        assert_eq!(refused.err(), Some(TokenError::Scheme));
    }
}

// rows: server/GW-NO-KEY
#[test]
fn a_missing_key_is_refused_where_one_is_required() {
    assert_eq!(identify(&[], true).err(), Some(TokenError::NoApiKey));
}

// rows: server/GW-WHOLE-KEYS
#[test]
fn a_key_counts_as_a_whole_alone() {
    let keys = demo_keys();
    for key in [keys.secret_key.expose_secret(), keys.publishable_key.as_str()] {
        let (start, end) = (&key[..key.len() - 1], &key[1..]);
        for part in [start, end, &key.to_uppercase(), &format!("{key}x"), "sb_secret_", "sb_publishable_"] {
            assert!(identify(&[("apikey", part)], false).is_err(), "{part}");
            assert!(identify(&[("authorization", &format!("Bearer {part}"))], false).is_err(), "{part}");
        }
    }
}

// rows: server/GW-TOKENS
#[test]
fn a_token_of_more_than_sixteen_kibibytes_is_refused_unread() {
    let verifier = gateway(&demo_keys());
    let of_size = |letters: usize| {
        verifier.keyring.sign(&json!({"role": "authenticated", "name": "x".repeat(letters)})).expect("signed")
    };
    let (taken, refused) = (of_size(12_000), of_size(12_500));
    assert!(taken.len() <= 16 << 10 && verifier.verify(&taken, NOW).is_ok());
    assert!(refused.len() > 16 << 10);
    assert_eq!(verifier.verify(&refused, NOW).err(), Some(TokenError::Signature));
}

// rows: server/GW-TOKENS
#[test]
fn forged_tokens_are_refused_by_kind() {
    let verifier = gateway(&demo_keys());
    let good = user_token(&verifier.keyring, NOW + Duration::hours(1));
    let (head, signature) = good.rsplit_once('.').expect("three parts");
    let encode = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let service = encode(json!({"role": "service_role"}));
    let part = |n: usize| head.split('.').nth(n).expect("a part");
    for (token, expected) in [
        ("nonsense".to_owned(), TokenError::Parts(1)),
        (format!("{}.{service}.{signature}", part(0)), TokenError::WrongKey),
        (format!("{}.{service}.", encode(json!({"alg": "none"}))), TokenError::Algorithm("none".into())),
        (format!("{}.{service}.x", encode(json!({"alg": "HS512"}))), TokenError::Algorithm("HS512".into())),
        (format!("{}.{service}.x", encode(json!({"alg": "RS256"}))), TokenError::NoKey),
        (format!("{}.{}.x", encode(json!({"alg": "ES256", "kid": "other"})), part(1)), TokenError::NoKey),
        (format!("{}.{service}.{signature}", encode(json!({"alg": "HS256"}))), TokenError::WrongKey),
    ] {
        assert_eq!(verifier.verify(&token, NOW).err(), Some(expected), "{token}");
    }
}

// rows: auth/J4
#[test]
fn where_legacy_keys_are_off_nothing_that_the_secret_signed_is_taken() {
    let mut keys = demo_keys();
    let legacy = keys.anon_key.clone();
    keys.legacy = false;
    let verifier = gateway(&keys);
    assert_eq!(verifier.verify(&legacy, NOW).err(), Some(TokenError::LegacyOff));
    assert!(!verifier.keyring.jwks().contains("oct"), "nor is the secret handed on as a key");
    assert!(verifier.verify(&user_token(&verifier.keyring, NOW + Duration::hours(1)), NOW).is_ok());
    // What a load of the configuration gives out by the old names.
    keys.anon_key = keys.publishable_key.clone();
    keys.service_role_key = keys.secret_key.clone();
    let role = |name: &'static str, key: &str| {
        let caller = gateway(&keys).identify(&headers(&[(name, key)]), NOW);
        caller.map(|caller| caller.role().to_owned())
    };
    assert_eq!(role("apikey", &keys.anon_key).as_deref(), Ok("anon"));
    let bearer = format!("Bearer {}", keys.service_role_key.expose_secret());
    assert_eq!(role("authorization", &bearer).as_deref(), Ok("service_role"));
    assert_eq!(role("apikey", &legacy), Err(TokenError::LegacyOff));
    let shared = json!({"kty": "oct", "kid": "own", "k": URL_SAFE_NO_PAD.encode([7; 32])});
    let own = banyan_config::Keys { legacy: false, ..keys_of(&[shared]) };
    let own = gateway(&own);
    let token = user_token(&own.keyring, NOW + Duration::hours(1));
    assert!(own.verify(&token, NOW).is_ok(), "a signing key is no legacy");
}

// rows: auth/J7
#[test]
fn a_key_that_is_gone_is_refused_though_its_token_was_remembered() {
    let (old, new) = (new_key(NewKey::Es256, 1), new_key(NewKey::Es256, 2));
    let verifier = gateway(&keys_of(&[old.clone(), new.clone()]));
    let token = user_token(&verifier.keyring, NOW + Duration::hours(1));
    verifier.verify(&token, NOW).expect("verified and remembered");
    verifier.keyring.replace(&keys_of(&[new.clone(), old])).expect("usable");
    assert!(verifier.verify(&token, NOW).is_ok());
    verifier.keyring.replace(&keys_of(&[new])).expect("usable");
    assert_eq!(verifier.verify(&token, NOW).err(), Some(TokenError::NoKey));
    assert!(verifier.keyring.replace(&keys_of(&[])).is_err(), "a list that cannot sign changes nothing");
    assert!(verifier.verify(&user_token(&verifier.keyring, NOW + Duration::hours(1)), NOW).is_ok());
}

#[test]
fn what_is_remembered_of_tokens_is_bounded_by_its_bytes_whatever_they_say() {
    let verifier = gateway(&demo_keys());
    // Short numbers take the most memory for their length.
    let numbers = vec![0; 4_000];
    for n in 0..300 {
        let token = verifier.keyring.sign(&json!({"sub": n.to_string(), "n": numbers})).expect("signed");
        assert!(token.len() <= LONGEST_TOKEN);
        assert!(verifier.verify(&token, NOW).is_ok(), "{n}");
    }
    let (held, bytes) = verifier.checked.held();
    assert!(bytes <= verifier.policy.remembered.bytes, "{bytes}");
    assert!((1..300).contains(&held), "{held}");
    assert!(bytes >= held * 4_000 * size_of::<Value>() as u64, "each counts as what it takes: {bytes}");
}

// rows: server/GW-TOKENS rest/T03 rest/T20
#[test]
fn a_gateway_reads_role_and_audience_as_the_data_api_does() {
    let verifier = gateway(&demo_keys());
    let role = |claims: Value| {
        let token = format!("Bearer {}", verifier.keyring.sign(&claims).expect("signed"));
        let caller = verifier.identify(&headers(&[("authorization", &token)]), NOW);
        caller.map(|caller| caller.role().to_owned())
    };
    assert_eq!(role(json!({"sub": "7"})).as_deref(), Ok("anon"));
    assert_eq!(role(json!({"role": 5})).as_deref(), Ok("5"), "no role of a database, and not anon");
    assert_eq!(role(json!({"role": null})).as_deref(), Ok("null"));
    assert_eq!(role(json!({"role": "a", "aud": ["anybody"]})).as_deref(), Ok("a"));
    assert_eq!(role(json!({"role": "a", "aud": 1})), Err(TokenError::AudienceType));
}

// rows: server/GW-TOKEN-END
#[test]
fn a_caller_knows_when_its_token_ends() {
    let (keys, verifier) = (demo_keys(), gateway(&demo_keys()));
    let ends = |name: &'static str, value: &str| {
        verifier.identify(&headers(&[(name, value)]), NOW).expect("identified").expires_at()
    };
    let exp = NOW + Duration::hours(1);
    let token = user_token(&verifier.keyring, exp);
    assert_eq!(ends("authorization", &format!("Bearer {token}")), Some(exp));
    assert_eq!(ends("apikey", &token), Some(exp));
    assert_eq!(ends("apikey", &keys.publishable_key), None);
    assert_eq!(ends("apikey", keys.secret_key.expose_secret()), None);
    for (exp, expected) in
        [(json!(1e300), None), (json!(null), None), (json!(1_900_000_000.9), Some(1_900_000_000))]
    {
        let token = verifier.keyring.sign(&json!({"role": "anon", "exp": exp})).expect("signed");
        assert_eq!(ends("apikey", &token).map(OffsetDateTime::unix_timestamp), expected, "{exp}");
    }
}

// rows: server/GW-SOCKET-KEYS
#[test]
fn a_socket_is_judged_as_a_request_is() {
    let (keys, verifier) = (demo_keys(), gateway(&demo_keys()));
    let role = |query: &str| {
        let caller = verifier.caller(&Credentials::from_query(query)?, NOW)?;
        Ok::<_, TokenError>(caller.role().to_owned())
    };
    let token = user_token(&verifier.keyring, NOW + Duration::hours(1));
    assert_eq!(role(&format!("apikey={}&vsn=2.0.0", keys.publishable_key)).as_deref(), Ok("anon"));
    assert_eq!(role(&format!("apikey={}", keys.anon_key)).as_deref(), Ok("anon"));
    let both = format!("apikey={}&access_token={token}", keys.anon_key);
    assert_eq!(role(&both).as_deref(), Ok("authenticated"));
    assert_eq!(role("apikey=sb_secret_x"), Err(TokenError::Parts(1)));
    let of_socket = Credentials::from_query(&both).expect("read");
    let joined = of_socket.with_access_token("a.b.c");
    assert_eq!(verifier.caller(&joined, NOW).err(), Some(TokenError::Signature), "the newer token counts");
}
