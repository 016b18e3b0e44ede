use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use jsonwebtoken::{Algorithm, Header};
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use time::Duration;

use super::*;
use crate::{
    NewKey,
    test_keys::{NOW, demo_keys, keyring, keys_of, new_key, user_token},
};

// rows: auth/T1
#[test]
fn a_key_of_ring_signs_as_the_library_does() {
    let keyring = keyring();
    let claims = json!({"sub": "asha", "exp": NOW.unix_timestamp() + 60, "name": "\u{905}"});
    let token = keyring.sign(&claims).expect("signed");
    let keys = keyring.current();
    let signing = keys.signing.as_ref().expect("a key that signs");
    let mut header = Header::new(signing.algorithm);
    header.kid.clone_from(&signing.id);
    assert!(signing.of_ring.is_some(), "ES256 is what the local key is for");
    let by_library = jsonwebtoken::encode(&header, &claims, &signing.key).expect("signed");
    let said = |token: &str| token.rsplit_once('.').map(|(said, _)| said.to_owned());
    assert_eq!(said(&token), said(&by_library));
    // The library checks both signatures.
    for token in [token, by_library] {
        assert_eq!(keyring.check_signature(&token).expect("verified").text("sub"), Some("asha"));
    }
}

#[test]
fn a_token_with_a_header_that_must_be_understood_is_refused() {
    let keyring = keyring();
    let signed = |header: Value| {
        let encode = |part: Value| URL_SAFE_NO_PAD.encode(part.to_string());
        let said = format!("{}.{}", encode(header), encode(json!({"role": "service_role"})));
        let secret = demo_keys().jwt_secret;
        let key = jsonwebtoken::EncodingKey::from_secret(secret.expose_secret().as_bytes());
        let signature = jsonwebtoken::crypto::sign(said.as_bytes(), &key, Algorithm::HS256).expect("signed");
        format!("{said}.{signature}")
    };
    assert!(keyring.check_signature(&signed(json!({"alg": "HS256"}))).is_ok());
    // RFC 7515 section 4.1.11.
    for named in [json!(["exp"]), json!([]), json!(null)] {
        let token = signed(json!({"alg": "HS256", "crit": named, "exp": 1}));
        assert_eq!(keyring.check_signature(&token).err(), Some(TokenError::Signature), "{named}");
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
        let token = user_token(&keyring, NOW + Duration::hours(1));
        let header = jsonwebtoken::decode_header(&token).expect("a header");
        assert_eq!(format!("{:?}", header.alg), algorithm);
        assert!(keyring.check_signature(&token).is_ok(), "{algorithm}");
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
    assert!(keyring.check_signature(&user_token(&earlier, NOW + Duration::hours(1))).is_ok());
}

// rows: auth/J4 auth/B3
#[test]
fn the_legacy_secret_verifies_and_a_public_key_never_serves_as_one() {
    let keyring = Keyring::new(&keys_of(&[new_key(NewKey::Es256, 1)])).expect("usable");
    assert!(keyring.check_signature(&demo_keys().anon_key).is_ok(), "J4");
    let public = keyring.public_jwks()["keys"][0].clone();
    let claims = json!({"role": "service_role"});
    let texts =
        [public.to_string(), public["x"].as_str().expect("x").to_owned(), keyring.public_jwks().to_string()];
    for text in texts {
        let mut header = Header::new(Algorithm::HS256);
        header.kid = public["kid"].as_str().map(str::to_owned);
        let key = jsonwebtoken::EncodingKey::from_secret(text.as_bytes());
        let forged = jsonwebtoken::encode(&header, &claims, &key).expect("signed");
        assert_eq!(keyring.check_signature(&forged).err(), Some(TokenError::WrongKey));
    }
}

// rows: rest/T07 auth/B3
#[test]
fn a_token_that_names_a_key_is_held_against_no_other() {
    let mut unnamed = new_key(NewKey::Es256, 1);
    unnamed.as_object_mut().expect("an object").remove("kid");
    let keyring = Keyring::new(&keys_of(std::slice::from_ref(&unnamed))).expect("usable");
    let token = user_token(&keyring, NOW + Duration::hours(1));
    assert!(keyring.check_signature(&token).is_ok(), "without a name each key is tried");
    unnamed["kid"] = json!("given later");
    let named = Keyring::new(&keys_of(&[unnamed])).expect("usable");
    assert!(named.check_signature(&token).is_ok());
    let token = user_token(&named, NOW + Duration::hours(1));
    assert_eq!(keyring.check_signature(&token).err(), Some(TokenError::NoKey));
}

// rows: auth/J3
#[test]
fn a_shared_key_without_a_name_verifies_what_it_signed() {
    let shared = json!({"kty": "oct", "k": URL_SAFE_NO_PAD.encode([7; 32])});
    let keyring = Keyring::new(&keys_of(&[shared])).expect("usable");
    assert!(keyring.check_signature(&user_token(&keyring, NOW + Duration::hours(1))).is_ok());
    assert!(keyring.check_signature(&demo_keys().anon_key).is_ok(), "nor is the secret forgotten");
}
