//! Who may call (functions.md section 2).

use banyan_edge::Timings;
use http::Method;
use serde_json::json;

use crate::support::World;

async fn guarded() -> World {
    let toml = "[functions.admin]\nverify_jwt = true\n";
    let banyan = "[functions.admin]\nroles = [\"service_role\"]\n";
    World::start(&[("mirror", "mirror"), ("admin", "hello")], toml, banyan, Timings::default()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_j01_j05_unauthorized_by_default_a_call_without_a_token_is_refused() {
    let world = guarded().await;
    let answer = world.get("/mirror").await;
    answer.is_platform_error(401, "UNAUTHORIZED_NO_AUTH_HEADER", "UNAUTHORIZED_NO_AUTH_HEADER");
    assert_eq!(answer.json()["msg"], "Missing authorization header");
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_j06_unauthorized_bad_tokens_are_refused_by_their_kind() {
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
        let request = world.request(Method::POST, "/mirror").header("authorization", &presented);
        world.send(request, "").await.is_platform_error(401, code, code);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_j02_the_anon_key_and_a_user_token_pass_and_j07_arrive_as_sent() {
    let world = guarded().await;
    let user = world.keyring.sign(&json!({"role": "authenticated", "exp": 4_000_000_000_u64})).unwrap();
    for token in [world.config.keys.anon_key.clone(), user] {
        let presented = format!("Bearer {token}");
        let request = world.request(Method::POST, "/mirror").header("authorization", &presented);
        let answer = world.send(request, "").await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert!(answer.body.contains(&presented), "{answer:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_j03_a_new_style_key_becomes_the_legacy_token() {
    let world = guarded().await;
    let keys = &world.config.keys;
    let request = world.request(Method::POST, "/mirror").header("apikey", &keys.publishable_key);
    let answer = world.send(request, "").await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.body.contains(&format!("Bearer {}", keys.anon_key)), "{answer:?}");
    let request = world.request(Method::POST, "/mirror").header("apikey", "sb_publishable_wrong");
    assert_eq!(world.send(request, "").await.status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_j04_options_reaches_the_function_without_a_token() {
    let world = guarded().await;
    let answer = world.send(world.request(Method::OPTIONS, "/mirror"), "").await;
    assert_eq!((answer.status, &answer.json()["method"]), (200, &json!("OPTIONS")));
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_j09_only_a_listed_role_may_call() {
    let world = guarded().await;
    let anon = format!("Bearer {}", world.config.keys.anon_key);
    let request = |token: &str| world.request(Method::POST, "/admin").header("authorization", token);
    world.send(request(&anon), "").await.is_platform_error(403, "FORBIDDEN_ROLE", "FORBIDDEN_ROLE");
    assert_eq!(world.send(request(&world.service_key()), "").await.body, "Hello World");
}
