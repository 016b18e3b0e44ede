use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use http::{HeaderValue, header::AUTHORIZATION};
use jsonwebtoken::{EncodingKey, Header};
use secrecy::SecretSlice;
use serde_json::json;
use time::Duration;

use super::*;
use crate::test_keys::{NOW, demo_keys};

const SECRET: &str = "a secret of the school that nobody guesses";

fn tokens(secret: Option<&str>) -> Tokens {
    Tokens {
        secret: secret.map(|text| SecretSlice::from(text.as_bytes().to_vec())),
        audience: None,
        role_claim: "$.role".to_owned(),
        cache_entries: 3,
    }
}

fn verifier() -> Verifier {
    Verifier::of_data_api(&tokens(Some(SECRET)), Some("visitor")).expect("usable")
}

fn signed(header: &Header, claims: &Value, key: &EncodingKey) -> String {
    jsonwebtoken::encode(header, claims, key).expect("signed")
}

fn token(claims: &Value) -> String {
    signed(&Header::default(), claims, &EncodingKey::from_secret(SECRET.as_bytes()))
}

fn with(verifier: &Verifier, authorization: &str) -> Identified {
    let headers = [(AUTHORIZATION, authorization.parse().expect("a header value"))].into_iter().collect();
    verifier.identify(&headers, NOW)
}

fn refusal(verifier: &Verifier, token: &str) -> TokenError {
    with(verifier, &format!("Bearer {token}")).expect_err(token)
}

fn role(verifier: &Verifier, token: &str) -> Result<String, TokenError> {
    with(verifier, &format!("Bearer {token}")).map(|caller| caller.role().to_owned())
}

// rows: rest/T28
#[test]
fn a_claim_url_means_nothing_where_no_urls_are_signed() {
    let verifier = verifier();
    assert_eq!(role(&verifier, &token(&json!({"url": "lessons/a.pdf"}))), Ok("visitor".to_owned()));
    let scoped = token(&json!({"url": "lessons/a.pdf", "scope": "download", "role": "teacher"}));
    assert_eq!(role(&verifier, &scoped), Ok("teacher".to_owned()));
}

// rows: rest/T01
#[test]
fn the_scheme_is_bearer_in_any_case_and_another_scheme_is_nobodys() {
    let good = token(&json!({"role": "teacher"}));
    for scheme in ["Bearer", "bearer", "BEARER"] {
        assert_eq!(with(&verifier(), &format!("{scheme} {good}")).expect("identified").role(), "teacher");
    }
    assert_eq!(with(&verifier(), "Basic dTpw").expect("identified").role(), "visitor");
}

// rows: rest/T01
#[test]
fn two_headers_and_one_that_cannot_be_read_are_refused() {
    let good = format!("Bearer {}", token(&json!({"role": "teacher"})));
    let (good, unreadable) = (good.parse().expect("a value"), HeaderValue::from_bytes(b"Bearer \xff"));
    let mut headers: HeaderMap = [(AUTHORIZATION, good)].into_iter().collect();
    assert!(verifier().identify(&headers, NOW).is_ok());
    headers.append(AUTHORIZATION, "Bearer x".parse().expect("a value"));
    assert_eq!(verifier().identify(&headers, NOW).err(), Some(TokenError::Repeated));
    headers.insert(AUTHORIZATION, unreadable.expect("a value"));
    assert_eq!(verifier().identify(&headers, NOW).err(), Some(TokenError::Unreadable));
}

// rows: rest/T02
#[test]
fn nobody_is_anonymous_where_no_role_is_named_for_it() {
    let closed = Verifier::of_data_api(&tokens(Some(SECRET)), None).expect("usable");
    assert_eq!(closed.identify(&HeaderMap::new(), NOW).err(), Some(TokenError::AnonymousDisabled));
    assert_eq!(refusal(&closed, &token(&json!({"sub": "1"}))), TokenError::AnonymousDisabled);
    assert_eq!(role(&closed, &token(&json!({"role": "teacher"}))), Ok("teacher".to_owned()));
}

// rows: rest/T03 rest/G03
#[test]
fn a_token_without_a_role_is_the_anonymous_roles_and_its_claims_say_so() {
    let caller = with(&verifier(), &format!("Bearer {}", token(&json!({"sub": "7"})))).expect("identified");
    assert_eq!(caller.role(), "visitor");
    assert_eq!(
        serde_json::from_str::<Value>(caller.claims().json()).expect("JSON"),
        json!({"role": "visitor", "sub": "7"})
    );
    let nested = Tokens { role_claim: "$.app.role".to_owned(), ..tokens(Some(SECRET)) };
    let nested = Verifier::of_data_api(&nested, None).expect("usable");
    let good = token(&json!({"role": "other", "app": {"role": "head"}}));
    let caller = with(&nested, &format!("Bearer {good}")).expect("identified");
    assert_eq!((caller.role(), caller.claims().text("role")), ("head", Some("head")));
    assert_eq!(role(&verifier(), &token(&json!({"role": 5}))), Ok("5".to_owned()));
}

// rows: rest/T04 rest/T27 rest/V05
#[test]
fn a_secret_a_jwk_or_a_set_verifies_and_a_plain_secret_takes_hs256_alone() {
    let k = URL_SAFE_NO_PAD.encode(SECRET);
    let hs384 = signed(
        &Header::new(jsonwebtoken::Algorithm::HS384),
        &json!({"role": "teacher"}),
        &EncodingKey::from_secret(SECRET.as_bytes()),
    );
    assert_eq!(refusal(&verifier(), &hs384), TokenError::NoKey);
    let jwk = json!({"kty": "oct", "k": k}).to_string();
    let jwk = Verifier::of_data_api(&tokens(Some(&jwk)), None).expect("usable");
    assert_eq!(role(&jwk, &hs384), Ok("teacher".to_owned()));
    assert_eq!(role(&jwk, &token(&json!({"role": "a"}))), Ok("a".to_owned()));
    let bound = json!({"keys": [{"kty": "oct", "k": k, "alg": "HS512"}, {"kty": "future"}]}).to_string();
    let bound = Verifier::of_data_api(&tokens(Some(&bound)), None).expect("usable");
    assert_eq!(refusal(&bound, &hs384), TokenError::NoKey, "the key says which algorithm, not the token");
    for unusable in
        [json!({"keys": []}), json!({"kty": "oct", "k": k, "use": "enc"}), json!({"kty": "future"})]
    {
        assert!(Verifier::of_data_api(&tokens(Some(&unusable.to_string())), None).is_err(), "{unusable}");
    }
}

// rows: rest/T27
#[test]
fn es256_by_jwk_is_verified_and_its_public_key_is_no_secret() {
    let keyring = crate::Keyring::new(&demo_keys()).expect("the demo keys work");
    let token = keyring.sign(&json!({"role": "teacher"})).expect("signed");
    let set = keyring.public_jwks().to_string();
    let public = Verifier::of_data_api(&tokens(Some(&set)), None).expect("usable");
    assert_eq!(role(&public, &token), Ok("teacher".to_owned()));
    let forged =
        signed(&Header::default(), &json!({"role": "head"}), &EncodingKey::from_secret(set.as_bytes()));
    assert_eq!(refusal(&public, &forged), TokenError::NoKey);
}

// rows: rest/T06
#[test]
fn a_token_without_a_secret_to_check_it_is_our_fault() {
    let open = Verifier::of_data_api(&tokens(None), Some("visitor")).expect("usable");
    assert_eq!(refusal(&open, &token(&json!({}))), TokenError::NoSecret);
    assert_eq!(open.identify(&HeaderMap::new(), NOW).expect("identified").role(), "visitor");
}

// rows: rest/T07
#[test]
fn a_kid_chooses_its_key_and_without_one_each_is_tried() {
    let other = "another secret of the school, long enough";
    let key = |id: &str, secret: &str| json!({"kty": "oct", "kid": id, "k": URL_SAFE_NO_PAD.encode(secret)});
    let set = json!({"keys": [key("a", other), key("b", SECRET)]}).to_string();
    let set = Verifier::of_data_api(&tokens(Some(&set)), None).expect("usable");
    let with_kid = |kid: Option<&str>| {
        let header = Header { kid: kid.map(str::to_owned), ..Header::default() };
        signed(&header, &json!({"role": "r"}), &EncodingKey::from_secret(SECRET.as_bytes()))
    };
    assert_eq!(role(&set, &with_kid(None)), Ok("r".to_owned()));
    assert_eq!(role(&set, &with_kid(Some("b"))), Ok("r".to_owned()));
    assert_eq!(refusal(&set, &with_kid(Some("a"))), TokenError::WrongKey);
    assert_eq!(refusal(&set, &with_kid(Some("c"))), TokenError::NoKey);
}

// rows: rest/T08 rest/T10 rest/T11 rest/T12 rest/T14 rest/V05
#[test]
fn forged_and_broken_tokens_are_refused_by_kind() {
    let part = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let hs256 = part(json!({"alg": "HS256"}));
    let foreign = EncodingKey::from_secret(b"some other secret, just as long as ours");
    for (text, expected) in [
        (String::new(), TokenError::Empty),
        ("a.b".to_owned(), TokenError::Parts(2)),
        ("a.b.c.d.e".to_owned(), TokenError::Parts(5)),
        (signed(&Header::default(), &json!({"role": "head"}), &foreign), TokenError::WrongKey),
        ("quifquirndsjagnrgniur.fonvoienqhhdj.iuqvnvhojah".to_owned(), TokenError::Signature),
        (
            format!("{}.{}.", part(json!({"alg": "none"})), part(json!({}))),
            TokenError::Algorithm("none".into()),
        ),
        (format!("{}.e30.x", part(json!({"alg": "HS1"}))), TokenError::Algorithm("HS1".into())),
        (format!("{}.e30.x", part(json!({"alg": "dir", "enc": "A128GCM"}))), TokenError::Encrypted),
        (format!("{hs256}.e30.{}", "x".repeat(20_000)), TokenError::Signature),
        (token(&json!(["no", "object"])), TokenError::Claims),
        (token(&json!("text")), TokenError::Claims),
    ] {
        assert_eq!(refusal(&verifier(), &text), expected, "{text}");
    }
}

// rows: rest/T15
#[test]
fn times_have_thirty_seconds_of_leeway_and_must_be_numbers() {
    let at = |seconds: i64| (NOW + Duration::seconds(seconds)).unix_timestamp();
    for (claims, expected) in [
        (json!({"exp": at(-29), "nbf": at(29), "iat": at(29)}), None),
        (json!({"exp": at(-31)}), Some(TokenError::Expired)),
        (json!({"nbf": at(31)}), Some(TokenError::NotYetValid)),
        (json!({"iat": at(31)}), Some(TokenError::IssuedInFuture)),
        (json!({"exp": "soon"}), Some(TokenError::NotANumber("exp"))),
        (json!({"nbf": true}), Some(TokenError::NotANumber("nbf"))),
        (json!({"iat": []}), Some(TokenError::NotANumber("iat"))),
        (json!({"exp": null}), None),
    ] {
        assert_eq!(role(&verifier(), &token(&claims)).err(), expected, "{claims}");
    }
}

// rows: rest/T19 rest/T20
#[test]
fn the_audience_is_ours_or_left_open_and_of_the_right_type() {
    let ours = Tokens { audience: Some("school".to_owned()), ..tokens(Some(SECRET)) };
    let ours = Verifier::of_data_api(&ours, Some("visitor")).expect("usable");
    for (aud, expected) in [
        (json!("school"), None),
        (json!(["shop", "school"]), None),
        (Value::Null, None),
        (json!([]), None),
        (json!("shop"), Some(TokenError::NotInAudience)),
        (json!(["shop"]), Some(TokenError::NotInAudience)),
        (json!(""), Some(TokenError::NotInAudience)),
        (json!(1), Some(TokenError::AudienceType)),
        (json!(["school", 1]), Some(TokenError::AudienceType)),
    ] {
        assert_eq!(role(&ours, &token(&json!({"aud": aud}))).err(), expected, "{aud}");
    }
    assert_eq!(refusal(&verifier(), &token(&json!({"aud": {}}))), TokenError::AudienceType);
    assert!(
        role(&verifier(), &token(&json!({"aud": "anybody"}))).is_ok(),
        "without jwt-aud every audience passes"
    );
}

// rows: rest/T25 rest/V06
#[test]
fn checked_tokens_are_remembered_within_bounds_and_still_expire() {
    let verifier = verifier();
    let good = token(&json!({"exp": NOW.unix_timestamp() + 60}));
    assert!(role(&verifier, &good).is_ok() && role(&verifier, &good).is_ok());
    assert_eq!(verifier.lookups(), Lookups { requests: 2, hits: 1, evictions: 0 });
    let headers = [(AUTHORIZATION, format!("Bearer {good}").parse().expect("a value"))].into_iter().collect();
    let later = verifier.identify(&headers, NOW + Duration::minutes(2));
    assert_eq!(later.err(), Some(TokenError::Expired), "times count on every use");
    for n in 0..40 {
        assert!(role(&verifier, &token(&json!({"n": n}))).is_ok());
    }
    let lookups = verifier.lookups();
    assert!(lookups.evictions > 0 && lookups.hits == 2, "{lookups:?}");
}

// rows: rest/T25
#[test]
fn another_key_forgets_what_was_checked_and_the_same_key_does_not() {
    let verifier = verifier();
    let good = token(&json!({"role": "teacher"}));
    assert!(role(&verifier, &good).is_ok());
    let same = Tokens { audience: Some("school".to_owned()), ..tokens(Some(SECRET)) };
    let same = verifier.renewed(&same, None).expect("usable");
    assert!(role(&same, &good).is_ok());
    assert_eq!(same.lookups().hits, 1);
    let other =
        verifier.renewed(&tokens(Some("another secret of the school, long enough")), None).expect("usable");
    assert_eq!(refusal(&other, &good), TokenError::WrongKey);
    let off = Tokens { cache_entries: 0, ..tokens(Some(SECRET)) };
    let off = verifier.renewed(&off, None).expect("usable");
    assert!(role(&off, &good).is_ok());
    assert_eq!(off.lookups(), Lookups::default(), "0 switches the memory off");
}

// rows: rest/T25
#[test]
fn of_the_longest_tokens_fewer_are_remembered() {
    let many = Tokens { cache_entries: 40, ..tokens(Some(SECRET)) };
    let kept = |filling: &Value| {
        let verifier = Verifier::of_data_api(&many, Some("visitor")).expect("usable");
        for n in 0..200 {
            assert!(role(&verifier, &token(&json!({"n": n, "filling": filling}))).is_ok());
        }
        200 - verifier.lookups().evictions
    };
    let (short, long) = (kept(&json!("")), kept(&json!("x".repeat(11_000))));
    assert!(short > 20 && long < 10, "{short} {long}");
}
