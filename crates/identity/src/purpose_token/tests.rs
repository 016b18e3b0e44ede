use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use secrecy::ExposeSecret;
use time::Duration;

use super::*;
use crate::{
    Credentials, NewKey,
    test_keys::{NOW, demo_keys, gateway, keyring, keys_of, new_key, user_token},
};

const URL: &str = "lessons/class 5/water.pdf";
const DOWNLOAD: (Purpose, &str) = (Purpose::Download, URL);
const UPLOAD: (Purpose, &str) = (Purpose::Upload, URL);

fn token(purpose: Purpose, claims: Value) -> PurposeToken {
    let claims = claims.as_object().expect("an object").clone();
    PurposeToken { purpose, url: URL.to_owned(), claims, expires_at: NOW + Duration::minutes(1) }
}

fn signed(purpose: Purpose) -> String {
    token(purpose, json!({})).sign(&keyring(), NOW).expect("signed")
}

/// A token as anybody with the secret writes it: the reference, or somebody who came by it.
fn written(header: &Header, claims: &Value, secret: &[u8]) -> String {
    jsonwebtoken::encode(header, claims, &EncodingKey::from_secret(secret)).expect("signed")
}

fn by_secret(claims: &Value) -> String {
    written(&Header::default(), claims, demo_keys().jwt_secret.expose_secret().as_bytes())
}

fn refusal(token: &str, wanted: (Purpose, &str)) -> Option<TokenError> {
    PurposeToken::check(&keyring(), token, wanted, NOW).err()
}

// rows: server/GW-PURPOSE
#[test]
fn what_was_signed_comes_back_with_all_its_claims() {
    for token in [
        token(Purpose::Download, json!({"transformations": "width:200"})),
        token(Purpose::Upload, json!({"owner": "5f0c8e1e-0000-4000-8000-000000000001", "upsert": true})),
    ] {
        let signed = token.sign(&keyring(), NOW).expect("signed");
        let read = PurposeToken::check(&keyring(), &signed, (token.purpose, URL), NOW).expect("accepted");
        assert_eq!(read.expires_at, token.expires_at);
        for (name, value) in &token.claims {
            assert_eq!(read.claims.get(name), Some(value), "{name}");
        }
    }
}

// rows: server/GW-PURPOSE
#[test]
fn the_reference_reads_what_is_signed_here() {
    let token = token(Purpose::Download, json!({"role": "service_role", "scope": "upload", "url": "x"}));
    let token = token.sign(&keyring(), NOW).expect("signed");
    let secret = demo_keys().jwt_secret;
    let key = jsonwebtoken::DecodingKey::from_secret(secret.expose_secret().as_bytes());
    let mut validation = jsonwebtoken::Validation::new(Algorithm::HS256);
    validation.validate_exp = false;
    let read = jsonwebtoken::decode::<Value>(&token, &key, &validation).expect("HS256 by the secret");
    assert_eq!(read.header.kid, None);
    let (iat, exp) = (NOW.unix_timestamp(), NOW.unix_timestamp() + 60);
    assert_eq!(read.claims, json!({"url": URL, "scope": "download", "iat": iat, "exp": exp}));
}

// rows: server/GW-PURPOSE
#[test]
fn what_the_reference_signed_is_read_here_with_and_without_a_scope() {
    let exp = NOW.unix_timestamp() + 60;
    for (claims, opens, not) in [
        (json!({"url": URL, "scope": "download", "iat": 1, "exp": exp}), DOWNLOAD, UPLOAD),
        (json!({"url": URL, "exp": exp}), DOWNLOAD, UPLOAD),
        (json!({"url": URL, "scope": "upload", "upsert": false, "exp": exp}), UPLOAD, DOWNLOAD),
        (json!({"url": URL, "upsert": false, "exp": exp}), UPLOAD, DOWNLOAD),
    ] {
        let token = by_secret(&claims);
        assert_eq!(refusal(&token, opens), None, "{claims}");
        assert_eq!(refusal(&token, not), Some(TokenError::Purpose), "{claims}");
    }
}

// rows: server/GW-PURPOSE
#[test]
fn a_token_opens_nothing_but_what_it_is_for() {
    assert_eq!(refusal(&signed(Purpose::Download), UPLOAD), Some(TokenError::Purpose));
    assert_eq!(refusal(&signed(Purpose::Upload), DOWNLOAD), Some(TokenError::Purpose));
    for url in ["lessons/class 5/water.pdf/", "lessons/class%205/water.pdf", "lessons/class 5", ""] {
        assert_eq!(refusal(&signed(Purpose::Download), (Purpose::Download, url)), Some(TokenError::Purpose));
    }
    let exp = NOW.unix_timestamp() + 60;
    for scope in [json!("Download"), json!(["download"]), json!(null), json!("delete")] {
        let token = by_secret(&json!({"url": URL, "scope": scope, "exp": exp}));
        assert_eq!(refusal(&token, DOWNLOAD), Some(TokenError::Purpose), "{scope}");
    }
}

// rows: server/GW-PURPOSE
#[test]
fn an_access_token_opens_no_url_whatever_it_claims() {
    let exp = NOW.unix_timestamp() + 60;
    let user = user_token(&keyring(), NOW + Duration::hours(1));
    let hooked = json!({"role": "authenticated", "url": URL, "scope": "download", "exp": exp});
    for token in [
        user,
        demo_keys().anon_key,
        demo_keys().service_role_key.expose_secret().to_owned(),
        keyring().sign(&hooked).expect("signed"),
        by_secret(&hooked),
        by_secret(&json!({"role": null, "url": URL, "scope": "download", "exp": exp})),
    ] {
        assert_eq!(refusal(&token, DOWNLOAD), Some(TokenError::Purpose));
        assert_eq!(refusal(&token, UPLOAD), Some(TokenError::Purpose));
    }
}

// rows: server/GW-PURPOSE rest/T28
#[test]
fn a_token_for_a_purpose_makes_nobody_a_caller() {
    let exp = NOW.unix_timestamp() + 60;
    let verifier = gateway(&demo_keys());
    for token in [
        signed(Purpose::Download),
        signed(Purpose::Upload),
        by_secret(&json!({"url": URL, "exp": exp})),
        by_secret(&json!({"url": URL, "upsert": true, "exp": exp})),
        by_secret(&json!({"url": URL, "scope": "download", "role": "service_role", "exp": exp})),
    ] {
        let query = format!("apikey={token}");
        let of_query = Credentials::from_query(&query).expect("read");
        let nobody = Credentials::default();
        for credentials in [of_query, nobody.with_access_token(&token)] {
            for _ in 0..2 {
                let refused = verifier.caller(&credentials, NOW).err();
                assert_eq!(refused, Some(TokenError::Purpose), "{credentials:?}");
            }
        }
    }
    let of_somebody =
        by_secret(&json!({"role": "authenticated", "url": "https://school.example", "exp": exp}));
    assert!(verifier.caller(&Credentials::default().with_access_token(&of_somebody), NOW).is_ok());
}

// rows: server/GW-PURPOSE
#[test]
fn a_token_ends_on_its_second_and_one_without_an_end_is_none() {
    let token = signed(Purpose::Download);
    let at = |seconds| PurposeToken::check(&keyring(), &token, DOWNLOAD, NOW + Duration::seconds(seconds));
    assert!(at(59).is_ok());
    assert_eq!(at(60).err(), Some(TokenError::Expired));
    assert!(at(-30).is_ok(), "the clock of another node may be behind");
    assert_eq!(at(-31).err(), Some(TokenError::IssuedInFuture));
    for exp in [json!(null), json!("soon"), json!(1e300)] {
        let token = by_secret(&json!({"url": URL, "scope": "download", "exp": exp}));
        assert_eq!(refusal(&token, DOWNLOAD), Some(TokenError::NotANumber("exp")), "{exp}");
    }
}

// rows: server/GW-PURPOSE
#[test]
fn forged_and_changed_tokens_open_nothing() {
    let good = signed(Purpose::Download);
    let (head, signature) = good.rsplit_once('.').expect("three parts");
    let part = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let claims = json!({"url": URL, "scope": "download", "exp": NOW.unix_timestamp() + 60});
    let header = head.split('.').next().expect("a header");
    let public = keyring().public_jwks()["keys"][0].clone();
    let kid = Header { kid: public["kid"].as_str().map(str::to_owned), ..Header::default() };
    let hs512 = Header::new(Algorithm::HS512);
    let secret = demo_keys().jwt_secret;
    for (token, expected) in [
        (String::new(), TokenError::Empty),
        ("x".to_owned(), TokenError::Parts(1)),
        (format!("{head}.{}", signature.to_lowercase()), TokenError::WrongKey),
        (format!("{header}.{}.{signature}", part(claims.clone())), TokenError::WrongKey),
        (format!("{head}."), TokenError::WrongKey),
        (
            format!("{}.{}.", part(json!({"alg": "none"})), part(claims.clone())),
            TokenError::Algorithm("none".into()),
        ),
        (
            written(&Header::default(), &claims, b"some other secret, long enough for it"),
            TokenError::WrongKey,
        ),
        (written(&kid, &claims, public.to_string().as_bytes()), TokenError::WrongKey),
        (written(&hs512, &claims, secret.expose_secret().as_bytes()), TokenError::Algorithm("HS512".into())),
    ] {
        assert_eq!(refusal(&token, DOWNLOAD), Some(expected), "{token}");
    }
}

// rows: server/GW-PURPOSE auth/J4
#[test]
fn where_the_secret_is_off_the_signing_key_signs_and_the_secret_opens_nothing() {
    let by_secret = signed(Purpose::Download);
    let mut keys = keys_of(&[new_key(NewKey::Es256, 1)]);
    keys.legacy = false;
    let keyring = Keyring::new(&keys).expect("usable");
    let token = token(Purpose::Download, json!({})).sign(&keyring, NOW).expect("signed");
    assert!(PurposeToken::check(&keyring, &token, DOWNLOAD, NOW).is_ok());
    let refused = PurposeToken::check(&keyring, &by_secret, DOWNLOAD, NOW).err();
    assert_eq!(refused, Some(TokenError::LegacyOff));
}
