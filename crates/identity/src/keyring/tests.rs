use secrecy::{ExposeSecret, SecretString};
use serde_json::json;
use time::{Duration, macros::datetime};

use super::*;
use crate::{NewKey, OsRng};

pub(super) const NOW: OffsetDateTime = datetime!(2026-01-01 12:00 UTC);

pub(super) fn config() -> banyan_config::Config {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("supabase")).expect("created");
    std::fs::write(folder.path().join("supabase/config.toml"), "").expect("written");
    banyan_config::load(folder.path(), banyan_config::Environment::of([]), 0).expect("defaults load").config
}

pub(super) fn keyring() -> Keyring {
    Keyring::new(&config().keys).expect("the demo keys work")
}

fn headers(pairs: &[(&'static str, &str)]) -> http::HeaderMap {
    pairs
        .iter()
        .map(|(n, v)| (http::HeaderName::from_static(n), v.parse().expect("a header value")))
        .collect()
}

fn identify(pairs: &[(&'static str, &str)], required: bool) -> Identified {
    keyring().identify(&ApiKeys::new(&config().keys, required), &headers(pairs), NOW)
}

fn role(pairs: &[(&'static str, &str)]) -> String {
    identify(pairs, false).expect("identified").role().to_owned()
}

fn user_token(keyring: &Keyring, exp: OffsetDateTime) -> String {
    let claims = json!({"sub": "5f0c8e1e-0000-4000-8000-000000000001", "role": "authenticated", "exp": exp.unix_timestamp()});
    keyring.sign(&claims).expect("signed")
}

// rows: server/GW-TOKENS
#[test]
fn what_auth_signs_is_verified_and_remembered() {
    let keyring = keyring();
    let token = user_token(&keyring, NOW + Duration::hours(1));
    for _ in 0..2 {
        let claims = keyring.verify(&token, NOW).expect("verified");
        assert_eq!(claims.text("role"), Some("authenticated"));
        assert!(claims.subject().is_some());
    }
}

// rows: auth/T1
#[test]
fn a_key_that_is_ready_signs_as_the_library_does() {
    let keyring = keyring();
    let claims = json!({"sub": "asha", "exp": NOW.unix_timestamp() + 60, "name": "\u{905}"});
    let token = keyring.sign(&claims).expect("signed");
    let keys = keyring.keys.load();
    let mut header = Header::new(keys.signing.algorithm);
    header.kid.clone_from(&keys.signing.id);
    assert!(keys.signing.ready.is_some(), "ES256 is what the local key is for");
    let by_library = jsonwebtoken::encode(&header, &claims, &keys.signing.key).expect("signed");
    let said = |token: &str| token.rsplit_once('.').map(|(said, _)| said.to_owned());
    assert_eq!(said(&token), said(&by_library));
    // The library checks both signatures.
    for token in [token, by_library] {
        assert_eq!(keyring.verify(&token, NOW).expect("verified").text("sub"), Some("asha"));
    }
}

// rows: server/GW-TOKENS
#[test]
fn a_remembered_token_still_expires() {
    let keyring = keyring();
    let token = user_token(&keyring, NOW + Duration::hours(1));
    keyring.verify(&token, NOW).expect("verified");
    assert_eq!(keyring.verify(&token, NOW + Duration::hours(2)).err(), Some(TokenError::Expired));
}

#[test]
fn thirty_seconds_of_clock_difference_are_forgiven() {
    let keyring = keyring();
    let token = user_token(&keyring, NOW);
    assert!(keyring.verify(&token, NOW + Duration::seconds(29)).is_ok());
    assert_eq!(keyring.verify(&token, NOW + Duration::seconds(31)).err(), Some(TokenError::Expired));
}

// rows: server/GW-NO-KEY
#[test]
fn both_forms_of_both_keys_are_accepted() {
    let keys = config().keys;
    assert_eq!(role(&[("apikey", &keys.anon_key)]), "anon");
    assert_eq!(role(&[("apikey", keys.service_role_key.expose_secret())]), "service_role");
    assert_eq!(role(&[("apikey", &keys.publishable_key)]), "anon");
    assert_eq!(role(&[("apikey", keys.secret_key.expose_secret())]), "service_role");
    let bearer = format!("Bearer {}", keys.secret_key.expose_secret());
    assert_eq!(role(&[("authorization", &bearer)]), "service_role");
    assert_eq!(role(&[]), "anon");
}

#[test]
fn an_sb_bearer_of_another_project_is_refused_whatever_apikey_says() {
    let keys = config().keys;
    for bearer in ["Bearer sb_.e30.x", "bearer  sb_secret_x", "Bearer sb_", "Bearer sb_publishable_other"] {
        for apikey in [&keys.anon_key, &keys.publishable_key] {
            let refused = identify(&[("authorization", bearer), ("apikey", apikey)], false);
            assert_eq!(refused.err(), Some(TokenError::UnknownKey), "{bearer}");
        }
    }
}

#[test]
fn a_header_that_is_there_twice_or_cannot_be_read_is_refused() {
    let keys = config().keys;
    for name in ["authorization", "apikey"] {
        let name = http::HeaderName::from_static(name);
        let mut headers = http::HeaderMap::new();
        headers.append(&name, "".parse().expect("a header value"));
        headers.append(&name, keys.anon_key.parse().expect("a header value"));
        let refused = keyring().identify(&ApiKeys::new(&keys, false), &headers, NOW);
        assert_eq!(refused.err(), Some(TokenError::Repeated), "{name}");
        headers.insert(&name, http::HeaderValue::from_bytes(b"Bearer \xff").expect("a header value"));
        let refused = keyring().identify(&ApiKeys::new(&keys, false), &headers, NOW);
        assert_eq!(refused.err(), Some(TokenError::Unreadable), "{name}");
    }
}

// rows: server/GW-WHOLE-KEYS
#[test]
fn a_key_counts_as_a_whole_alone() {
    let keys = config().keys;
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
    let keyring = keyring();
    let of_size = |letters: usize| {
        keyring.sign(&json!({"role": "authenticated", "name": "x".repeat(letters)})).expect("signed")
    };
    let (taken, refused) = (of_size(12_000), of_size(12_500));
    assert!(taken.len() <= 16 << 10 && keyring.verify(&taken, NOW).is_ok());
    assert!(refused.len() > 16 << 10);
    assert_eq!(keyring.verify(&refused, NOW).err(), Some(TokenError::Signature));
}

#[test]
fn a_users_token_wins_over_the_api_key() {
    let token = format!("Bearer {}", user_token(&keyring(), NOW + Duration::hours(1)));
    assert_eq!(
        role(&[("apikey", &config().keys.publishable_key), ("authorization", &token)]),
        "authenticated"
    );
}

// rows: server/GW-NO-KEY
#[test]
fn a_missing_key_is_refused_where_one_is_required() {
    assert_eq!(identify(&[], true).err(), Some(TokenError::NoApiKey));
}

// rows: server/GW-TOKENS
#[test]
fn forged_tokens_are_refused_by_kind() {
    let keyring = keyring();
    let good = user_token(&keyring, NOW + Duration::hours(1));
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
        assert_eq!(keyring.verify(&token, NOW).err(), Some(expected), "{token}");
    }
}

#[test]
fn a_token_with_a_header_that_must_be_understood_is_refused() {
    let keyring = keyring();
    let signed = |header: Value| {
        let encode = |part: Value| URL_SAFE_NO_PAD.encode(part.to_string());
        let said = format!("{}.{}", encode(header), encode(json!({"role": "service_role"})));
        let secret = config().keys.jwt_secret;
        let key = jsonwebtoken::EncodingKey::from_secret(secret.expose_secret().as_bytes());
        let signature = jsonwebtoken::crypto::sign(said.as_bytes(), &key, Algorithm::HS256).expect("signed");
        format!("{said}.{signature}")
    };
    assert!(keyring.verify(&signed(json!({"alg": "HS256"})), NOW).is_ok());
    // RFC 7515 section 4.1.11.
    for named in [json!(["exp"]), json!([]), json!(null)] {
        let token = signed(json!({"alg": "HS256", "crit": named, "exp": 1}));
        assert_eq!(keyring.verify(&token, NOW).err(), Some(TokenError::Signature), "{named}");
    }
}

// rows: auth/J4
#[test]
fn where_legacy_keys_are_off_nothing_that_the_secret_signed_is_taken() {
    let mut keys = config().keys;
    let legacy = keys.anon_key.clone();
    keys.legacy = false;
    let keyring = Keyring::new(&keys).expect("usable");
    assert_eq!(keyring.verify(&legacy, NOW).err(), Some(TokenError::LegacyOff));
    assert!(!keyring.jwks().contains("oct"), "nor is the secret handed on as a key");
    assert!(keyring.verify(&user_token(&keyring, NOW + Duration::hours(1)), NOW).is_ok());
    // What a load of the configuration gives out by the old names.
    keys.anon_key = keys.publishable_key.clone();
    keys.service_role_key = keys.secret_key.clone();
    let role = |name: &'static str, key: &str| {
        let caller = keyring.identify(&ApiKeys::new(&keys, true), &headers(&[(name, key)]), NOW);
        caller.map(|caller| caller.role().to_owned())
    };
    assert_eq!(role("apikey", &keys.anon_key).as_deref(), Ok("anon"));
    let bearer = format!("Bearer {}", keys.service_role_key.expose_secret());
    assert_eq!(role("authorization", &bearer).as_deref(), Ok("service_role"));
    assert_eq!(role("apikey", &legacy), Err(TokenError::LegacyOff));
    let shared = json!({"kty": "oct", "kid": "own", "k": URL_SAFE_NO_PAD.encode([7; 32])});
    let own = banyan_config::Keys { legacy: false, ..keys_of(&[shared]) };
    let own = Keyring::new(&own).expect("usable");
    assert!(
        own.verify(&user_token(&own, NOW + Duration::hours(1)), NOW).is_ok(),
        "a signing key is no legacy"
    );
}

#[test]
fn the_public_set_holds_no_secret() {
    let keyring = keyring();
    let public = keyring.public_jwks().to_string();
    assert!(public.contains("b81269f1-21d8-4f2e-b719-c2240a840d90"));
    assert!(!public.contains("\"d\"") && !public.contains("oct"), "{public}");
    assert!(!keyring.jwks().contains("\"d\""));
}

/// Keys of a project that signs with its own.
fn keys_of(list: &[Value]) -> banyan_config::Keys {
    let mut keys = config().keys;
    keys.signing_keys = list.iter().map(|key| SecretString::from(key.to_string())).collect();
    keys.own_signing_keys = true;
    keys
}

fn new_key(kind: NewKey, id: u128) -> Value {
    kind.make(uuid::Uuid::from_u128(id), &mut OsRng).expect("a key")
}

fn ed25519() -> Value {
    // RFC 8037 appendix A.1.
    json!({"kty": "OKP", "crv": "Ed25519", "kid": "ed", "d": "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
        "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"})
}

// rows: auth/J3
#[test]
fn every_algorithm_signs_and_verifies() {
    let mut rs512 = new_key(NewKey::Rs256, 1);
    rs512["alg"] = json!("RS512");
    let shared = json!({"kty": "oct", "kid": "shared", "k": URL_SAFE_NO_PAD.encode([7; 32])});
    for (key, algorithm) in [
        (new_key(NewKey::Es256, 1), "ES256"),
        (new_key(NewKey::Rs256, 1), "RS256"),
        (rs512, "RS512"),
        (ed25519(), "EdDSA"),
        (shared, "HS256"),
    ] {
        let keyring = Keyring::new(&keys_of(&[key])).expect("usable");
        assert_eq!(keyring.algorithm(), algorithm);
        let token = user_token(&keyring, NOW + Duration::hours(1));
        assert!(keyring.verify(&token, NOW).is_ok(), "{algorithm}");
        let published = keyring.public_jwks();
        assert_eq!(published["keys"].as_array().expect("a list").len(), usize::from(algorithm != "HS256"));
        for secret in ["d", "p", "q", "dp", "dq", "qi", "k"] {
            assert!(published["keys"][0].get(secret).is_none(), "{algorithm} publishes {secret}");
        }
    }
}

// rows: auth/J3
#[test]
fn a_type_that_does_not_fit_its_algorithm_is_refused() {
    let mut confused = new_key(NewKey::Es256, 1);
    confused["alg"] = json!("HS256");
    let public_only = {
        let mut key = new_key(NewKey::Es256, 1);
        key.as_object_mut().expect("an object").remove("d");
        key
    };
    let twice = new_key(NewKey::Es256, 1);
    for list in [
        vec![confused],
        vec![public_only],
        vec![twice.clone(), twice],
        vec![json!({"kty": "EC", "crv": "P-521"})],
    ] {
        assert!(Keyring::new(&keys_of(&list)).is_err(), "{list:?}");
    }
}

// rows: auth/J2
#[test]
fn the_first_key_that_may_sign_signs_and_the_others_verify() {
    let (mut standby, signer) = (new_key(NewKey::Es256, 1), new_key(NewKey::Es256, 2));
    let earlier = Keyring::new(&keys_of(std::slice::from_ref(&standby))).expect("usable");
    standby["key_ops"] = json!(["verify"]);
    let keyring = Keyring::new(&keys_of(&[standby, signer.clone()])).expect("usable");
    let header =
        jsonwebtoken::decode_header(user_token(&keyring, NOW + Duration::hours(1))).expect("a header");
    assert_eq!(header.kid.as_deref(), signer["kid"].as_str());
    assert!(keyring.verify(&user_token(&earlier, NOW + Duration::hours(1)), NOW).is_ok());
}

// rows: auth/J4 auth/B3
#[test]
fn the_legacy_secret_verifies_and_a_public_key_never_serves_as_one() {
    let keyring = Keyring::new(&keys_of(&[new_key(NewKey::Es256, 1)])).expect("usable");
    assert!(keyring.verify(&config().keys.anon_key, NOW).is_ok(), "J4");
    let public = keyring.public_jwks()["keys"][0].clone();
    let claims = json!({"role": "service_role"});
    let texts =
        [public.to_string(), public["x"].as_str().expect("x").to_owned(), keyring.public_jwks().to_string()];
    for text in texts {
        let mut header = Header::new(Algorithm::HS256);
        header.kid = public["kid"].as_str().map(str::to_owned);
        let key = jsonwebtoken::EncodingKey::from_secret(text.as_bytes());
        let forged = jsonwebtoken::encode(&header, &claims, &key).expect("signed");
        assert_eq!(keyring.verify(&forged, NOW).err(), Some(TokenError::WrongKey));
    }
}

// rows: auth/J7
#[test]
fn a_key_that_is_gone_is_refused_though_its_token_was_remembered() {
    let (old, new) = (new_key(NewKey::Es256, 1), new_key(NewKey::Es256, 2));
    let keyring = Keyring::new(&keys_of(&[old.clone(), new.clone()])).expect("usable");
    let token = user_token(&keyring, NOW + Duration::hours(1));
    keyring.verify(&token, NOW).expect("verified and remembered");
    keyring.replace(&keys_of(&[new.clone(), old])).expect("usable");
    assert!(keyring.verify(&token, NOW).is_ok());
    keyring.replace(&keys_of(&[new])).expect("usable");
    assert_eq!(keyring.verify(&token, NOW).err(), Some(TokenError::NoKey));
    assert!(keyring.replace(&keys_of(&[])).is_err(), "a list that cannot sign changes nothing");
    assert!(keyring.verify(&user_token(&keyring, NOW + Duration::hours(1)), NOW).is_ok());
}

#[test]
fn what_is_remembered_of_tokens_is_bounded_by_its_bytes_whatever_they_say() {
    let keyring = keyring();
    // Short numbers take the most memory for their length.
    let numbers = vec![0; 4_000];
    for n in 0..300 {
        let token = keyring.sign(&json!({"sub": n.to_string(), "n": numbers})).expect("signed");
        assert!(token.len() <= LONGEST_TOKEN);
        assert!(keyring.verify(&token, NOW).is_ok(), "{n}");
    }
    let (held, bytes) = (keyring.checked.len() as u64, keyring.checked.weight());
    assert!(bytes <= REMEMBERED_BYTES, "{bytes}");
    assert!((1..300).contains(&held), "{held}");
    assert!(bytes >= held * 4_000 * size_of::<Value>() as u64, "each counts as what it takes: {bytes}");
}
