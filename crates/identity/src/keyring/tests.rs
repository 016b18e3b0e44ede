use time::{Duration, macros::datetime};

use super::*;

const NOW: OffsetDateTime = datetime!(2026-01-01 12:00 UTC);

fn config() -> banyan_config::Config {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("supabase")).expect("created");
    std::fs::write(folder.path().join("supabase/config.toml"), "").expect("written");
    banyan_config::load(folder.path(), banyan_config::Environment::of([]), 0).expect("defaults load").config
}

fn keyring() -> Keyring {
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
fn a_users_token_wins_over_the_api_key() {
    let token = format!("Bearer {}", user_token(&keyring(), NOW + Duration::hours(1)));
    assert_eq!(
        role(&[("apikey", &config().keys.publishable_key), ("authorization", &token)]),
        "authenticated"
    );
}

#[test]
fn a_missing_key_is_refused_where_one_is_required() {
    assert_eq!(identify(&[], true).err(), Some(TokenError::NoApiKey));
}

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
fn the_public_set_holds_no_secret() {
    let keyring = keyring();
    let public = keyring.public_jwks().to_string();
    assert!(public.contains("b81269f1-21d8-4f2e-b719-c2240a840d90"));
    assert!(!public.contains("\"d\"") && !public.contains("oct"), "{public}");
    assert!(!keyring.jwks().contains("\"d\""));
}
