//! Who may call, and what a function learns of who called (CONTRACT.md J01 to J09).

use banyan_edge::Timings;
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use http::Method;
use secrecy::ExposeSecret;
use serde_json::{Value, json};

use crate::support::{OfThePlatform, World};

async fn guarded() -> World {
    let toml = "[functions.admin]\nverify_jwt = true\n";
    let banyan = "[functions.admin]\nroles = [\"service_role\"]\n";
    World::start(&[("mirror", "mirror"), ("admin", "hello")], toml, banyan, Timings::default()).await
}

// rows: J01 J05 UNAUTHORIZED
#[tokio::test(flavor = "multi_thread")]
async fn by_default_a_call_without_a_token_is_refused() {
    let world = guarded().await;
    let answer = world.get("/mirror").await;
    answer.is_platform_error(401, "UNAUTHORIZED_NO_AUTH_HEADER", "UNAUTHORIZED_NO_AUTH_HEADER");
    assert_eq!(answer.json()["msg"], "Missing authorization header");
}

// rows: J06 UNAUTHORIZED
#[tokio::test(flavor = "multi_thread")]
async fn bad_tokens_are_refused_by_their_kind() {
    let world = guarded().await;
    let expired = world.keyring.sign(&json!({"role": "anon", "exp": 1})).unwrap();
    let forged_legacy = format!("{}x", world.config.keys.anon_key);
    for (presented, code) in [
        ("Basic abc".to_owned(), "UNAUTHORIZED_INVALID_JWT_FORMAT"),
        ("Bearer nonsense".to_owned(), "UNAUTHORIZED_INVALID_JWT_FORMAT"),
        (format!("Bearer {forged_legacy}"), "UNAUTHORIZED_LEGACY_JWT"),
        (format!("Bearer {expired}"), "UNAUTHORIZED_ASYMMETRIC_JWT"),
        // {"alg":"none"}
        ("Bearer eyJhbGciOiJub25lIn0.e30.".to_owned(), "UNAUTHORIZED_UNSUPPORTED_TOKEN_ALGORITHM"),
    ] {
        let request = world.call(Method::POST, "/mirror").header("authorization", &presented);
        request.await.is_platform_error(401, code, code);
    }
}

// rows: J02
#[tokio::test(flavor = "multi_thread")]
async fn the_anon_key_and_a_user_token_pass_and_arrive_whole() {
    let world = guarded().await;
    let user = world.keyring.sign(&json!({"role": "authenticated", "exp": 4_000_000_000_u64})).unwrap();
    for token in [world.config.keys.anon_key.clone(), user] {
        let presented = format!("Bearer {token}");
        let request = world.call(Method::POST, "/mirror").header("authorization", &presented);
        let answer = request.await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert!(answer.text().contains(&presented), "{answer:?}");
    }
}

// rows: J03
#[tokio::test(flavor = "multi_thread")]
async fn a_new_style_key_becomes_the_legacy_token() {
    let world = guarded().await;
    let keys = &world.config.keys;
    let request = world.call(Method::POST, "/mirror").header("apikey", &keys.publishable_key);
    let answer = request.await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.text().contains(&format!("Bearer {}", keys.anon_key)), "{answer:?}");
    let request = world.call(Method::POST, "/mirror").header("apikey", "sb_publishable_wrong");
    assert_eq!(request.await.status, 401);
}

// rows: J04
#[tokio::test(flavor = "multi_thread")]
async fn options_reaches_the_function_without_a_token() {
    let world = guarded().await;
    let answer = world.call(Method::OPTIONS, "/mirror").await;
    assert_eq!((answer.status, &answer.json()["method"]), (200, &json!("OPTIONS")));
}

// rows: J09
#[tokio::test(flavor = "multi_thread")]
async fn only_a_listed_role_may_call() {
    let world = guarded().await;
    let anon = format!("Bearer {}", world.config.keys.anon_key);
    let request = |token: &str| world.call(Method::POST, "/admin").header("authorization", token);
    request(&anon).await.is_platform_error(403, "FORBIDDEN_ROLE", "FORBIDDEN_ROLE");
    assert_eq!(request(&world.service_key()).await.text(), "Hello World");
}

/// What `mirror` saw under a name, one text for each line of the header.
fn seen(answer: &banyan_testkit::Answer, name: &str) -> Vec<String> {
    let headers = answer.json()["headers"].as_array().expect("a list").clone();
    let of_name = headers.iter().filter(|header| header[0] == name);
    of_name.map(|header| header[1].as_str().expect("a text").to_owned()).collect()
}

const VICTIM: &str = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";

/// Claims that nobody signed.
fn forged_payload() -> String {
    URL_SAFE_NO_PAD
        .encode(json!({"role": "authenticated", "sub": VICTIM, "email": "v@school.example"}).to_string())
}

// rows: J03
#[tokio::test(flavor = "multi_thread")]
async fn a_forged_bearer_beside_a_good_key_is_refused_in_both_modes() {
    let toml = "[functions.open]\nverify_jwt = false\n";
    let world = World::start(&[("mirror", "mirror"), ("open", "mirror")], toml, "", Timings::default()).await;
    let forged = format!("Bearer sb_.{}.x", forged_payload());
    for path in ["/mirror", "/open"] {
        for key in [&world.config.keys.anon_key, &world.config.keys.publishable_key] {
            let request = world.call(Method::POST, path).header("apikey", key);
            let answer = request.header("authorization", &forged).await;
            answer.is_platform_error(401, "UNAUTHORIZED_INVALID_API_KEY", "UNAUTHORIZED_INVALID_API_KEY");
        }
    }
}

// rows: J03
#[tokio::test(flavor = "multi_thread")]
async fn a_function_sees_the_verified_token_and_caller_and_no_other() {
    let world = guarded().await;
    let keys = &world.config.keys;
    let claims = json!({"role": "authenticated", "sub": VICTIM, "name": "\u{906}\u{936}\u{93e}", "exp": 4_000_000_000_u64});
    let user = world.keyring.sign(&claims).unwrap();
    let bearer = format!("bearer  {user}");
    for (apikey, passes) in [(keys.anon_key.as_str(), true), (&keys.publishable_key, true), ("x", false)] {
        let request = world.call(Method::POST, "/mirror").header("apikey", apikey);
        let request = request.header("x-sb-caller", "{}").header("authorization", &bearer);
        let answer = request.await;
        assert_eq!(seen(&answer, "authorization"), [format!("Bearer {user}")]);
        assert_eq!(seen(&answer, "apikey"), if passes { vec![apikey] } else { vec![] });
        let caller: Vec<Value> =
            seen(&answer, "x-sb-caller").iter().map(|text| serde_json::from_str(text).unwrap()).collect();
        assert_eq!(caller, std::slice::from_ref(&claims));
    }
    let request = world.call(Method::POST, "/mirror").header("apikey", keys.secret_key.expose_secret());
    let answer = request.await;
    assert_eq!(seen(&answer, "authorization"), [world.service_key()]);
    assert_eq!(seen(&answer, "x-sb-caller"), [r#"{"role":"service_role"}"#]);
}

// rows: J07
#[tokio::test(flavor = "multi_thread")]
async fn without_verify_jwt_both_headers_pass_as_sent_and_make_no_caller() {
    let toml = "[functions.open]\nverify_jwt = false\n";
    let world = World::start(&[("open", "mirror")], toml, "", Timings::default()).await;
    let user = world.keyring.sign(&json!({"role": "authenticated", "sub": VICTIM})).unwrap();
    for (authorization, apikey) in
        [("Basic abc", "anything"), ("Bearer a.b.c", ""), (&*format!("Bearer {user}"), "k")]
    {
        let request = world.call(Method::POST, "/open").header("x-sb-caller", "{\"sub\":\"1\"}");
        let request = request.header("authorization", authorization).header("apikey", apikey);
        let answer = request.await;
        assert_eq!(seen(&answer, "authorization"), [authorization]);
        assert_eq!(seen(&answer, "apikey"), [apikey]);
        assert_eq!(seen(&answer, "x-sb-caller"), [""; 0], "only what was verified makes a caller");
    }
}

// rows: J04
#[tokio::test(flavor = "multi_thread")]
async fn options_hands_nothing_over_that_was_not_verified() {
    let world = guarded().await;
    let forged = format!("Bearer h.{}.s", forged_payload());
    let request = world.call(Method::OPTIONS, "/mirror").header("authorization", &forged);
    let answer = request.header("apikey", "x").header("x-sb-caller", "{}").await;
    for name in ["authorization", "apikey", "x-sb-caller"] {
        assert_eq!(seen(&answer, name), [""; 0], "{name}");
    }
}

/// Tries every pair of these headers, in both orders and some of them twice, beside a third.
// rows: J03
#[tokio::test(flavor = "multi_thread")]
async fn no_headers_let_a_guest_read_a_subject_that_was_not_verified() {
    let world = guarded().await;
    let keys = &world.config.keys;
    let own = "00000000-0000-4000-8000-000000000001";
    let user = world.keyring.sign(&json!({"role": "authenticated", "sub": own})).unwrap();
    let (payload, tail) = (forged_payload(), user.rsplit('.').next().unwrap());
    let forged = [
        format!("Bearer sb_.{payload}.x"),
        format!("bearer sb_publishable_.{payload}.x"),
        format!("Bearer {}.{payload}.{tail}", user.split('.').next().unwrap()),
        format!("BEARER x.{payload}.y"),
        format!("Basic x.{payload}.y"),
    ];
    let good = [format!("Bearer {user}"), format!("Bearer {}", keys.publishable_key), String::new()];
    let mut lines: Vec<(&str, &str)> = forged.iter().chain(&good).map(|v| ("authorization", &**v)).collect();
    lines.extend(forged.iter().map(|value| ("apikey", value.split_once(' ').unwrap().1)));
    lines.extend([("apikey", &*user), ("apikey", &keys.anon_key), ("apikey", "")]);
    let said = format!("{{\"sub\":\"{VICTIM}\"}}");
    lines.extend([("x-sb-caller", &*said), ("connection", "apikey, authorization, x-sb-caller")]);
    let (mut answered, mut refused) = (0, 0);
    for first in &lines {
        for second in &lines {
            for third in [("connection", "x-sb-caller"), ("x-sb-caller", &said)] {
                let request = [*first, *second, third]
                    .iter()
                    .fold(world.call(Method::POST, "/mirror"), |request, line| {
                        request.header(line.0, line.1)
                    });
                let answer = request.await;
                if answer.status != 200 {
                    assert_eq!(answer.status, 401, "{first:?} {second:?} {answer:?}");
                    refused += 1;
                    continue;
                }
                answered += 1;
                assert!(!answer.text().contains(&payload), "{first:?} {second:?} {answer:?}");
                assert!(!answer.text().contains(VICTIM), "{first:?} {second:?} {answer:?}");
            }
        }
    }
    assert!(answered > 20 && refused > 100, "{answered} answered, {refused} refused");
}
