//! Conventions of the wire, keys and servers that are off (CONTRACT.md W2 to W14, H60 to H65, J5).

use std::time::Duration;

use banyan_testkit::Answer;
use http::Method;
use serde_json::json;

use crate::support::{ASHA, RAVI, Stage};

// rows: W2 W4
#[tokio::test]
async fn open_pages_and_calls_need_no_key() {
    let stage = Stage::new().await;
    assert_eq!(stage.ask(ASHA).await.status, 200, "W2: a call without any apikey works");
    for (path, status) in [
        ("/health", 200),
        ("/settings", 200),
        ("/.well-known/jwks.json", 200),
        ("/.well-known/openid-configuration", 200),
        ("/authorize?provider=google", 400),
        ("/callback", 303),
        ("/verify?token=x&type=signup", 303),
    ] {
        assert_eq!(stage.get(path).await.status, status, "{path}");
    }
}

// rows: W2
#[tokio::test]
async fn a_header_that_says_who_calls_is_there_once() {
    let stage = Stage::new().await;
    for (method, path) in [(Method::GET, "/settings"), (Method::POST, "/otp"), (Method::GET, "/user")] {
        for name in ["apikey", "authorization"] {
            let call = stage.call(method.clone(), path).json(json!({"email": ASHA}));
            let answer = call.header(name, "").header(name, stage.anon_key()).await;
            assert_eq!(answer.error(), (403, "bad_jwt"), "{path} {name}");
        }
    }
}

// rows: W3
#[tokio::test]
async fn a_key_alone_is_no_user() {
    let stage = Stage::new().await;
    let by_key = |key: String| {
        let stage = stage.clone();
        async move { stage.get("/user").header("apikey", &key).await }
    };
    let publishable = "sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH".to_owned();
    assert_eq!(by_key(publishable).await.error(), (403, "bad_jwt"), "B4");
    assert_eq!(by_key(stage.anon_key().to_owned()).await.error(), (401, "no_authorization"));
    assert_eq!(by_key(stage.service_key()).await.error(), (403, "bad_jwt"));
    assert_eq!(stage.get("/user").await.error(), (401, "no_authorization"));
    for scheme in ["Bearer", "bearer"] {
        let bearer = format!("{scheme} {}", stage.service_key());
        let answer = stage.get("/user").header("authorization", &bearer).await;
        assert_eq!(answer.error(), (401, "no_authorization"), "{scheme}");
        let answer = stage.get("/user").header("authorization", &bearer).header("apikey", "no.token.at.all");
        assert_eq!(answer.await.error(), (401, "no_authorization"), "{scheme}: the key is no token");
    }
    let admin = stage.get("/admin/users").header("apikey", stage.service_key()).await;
    assert_eq!(admin.status, 200, "the secret key administers as apikey too");
}

// rows: W8
#[tokio::test]
async fn times_are_rfc_3339_in_utc() {
    let stage = Stage::new().await;
    let user = stage.sign_in(ASHA).await["user"].clone();
    for field in ["created_at", "updated_at", "last_sign_in_at", "email_confirmed_at", "confirmed_at"] {
        let text = user[field].as_str().unwrap_or_else(|| panic!("{field}: {user}"));
        assert!(text.ends_with('Z') && text.as_bytes()[10] == b'T', "{field}: {text}");
    }
}

// rows: W10
#[tokio::test]
async fn a_request_that_takes_too_long_is_504_and_changes_nothing() {
    let mut config = banyan_testkit::config();
    config.auth.max_request_duration = Duration::from_millis(100);
    let stage = Stage::of(config).await;
    stage
        .execute(
            "create function public.slow() returns trigger language plpgsql as $$
            begin perform pg_sleep(0.3); return new; end $$;
            create trigger slow after insert on auth.users for each row execute function public.slow();",
        )
        .await;
    let answer = stage.ask(ASHA).await;
    assert_eq!(answer.error(), (504, "request_timeout"));
    let running = "select count(*) from pg_stat_activity where datname = current_database() \
                   and state = 'active' and pid <> pg_backend_pid()";
    while stage.number(running).await > 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(stage.number("select count(*) from auth.users").await, 0);
}

// rows: W13 H20
#[tokio::test]
async fn a_token_of_another_audience_is_refused_where_one_is_named() {
    let stage = Stage::new().await;
    let session = stage.sign_in(ASHA).await;
    let named = |audience: &'static str| {
        let (stage, token) = (stage.clone(), session.field("access_token").to_owned());
        async move { stage.get("/user").bearer(&token).header("x-jwt-aud", audience).await }
    };
    assert_eq!(named("authenticated").await.status, 200);
    let other = named("somewhere-else").await;
    assert_eq!(other.error(), (400, "validation_failed"));
    assert_eq!(other["msg"], "Token audience doesn't match request audience");
}

// rows: W13
#[tokio::test]
async fn who_works_for_another_audience_finds_nobody_here() {
    let stage = Stage::new().await;
    let key = stage.service_key();
    for (email, aud) in [(ASHA, "authenticated"), (RAVI, "staff")] {
        let body = json!({"email": email, "password": "long enough", "email_confirm": true, "aud": aud});
        let made = stage.post("/admin/users", &body).header("x-jwt-aud", aud).bearer(&key).await;
        assert_eq!((made.status, &made["aud"]), (200, &json!(aud)), "{}", made.json());
    }
    let body = |email: &str| json!({"email": email, "password": "long enough"});
    let paths = ["/otp", "/recover", "/signup", "/token?grant_type=password"];
    for (path, email) in
        paths.into_iter().flat_map(|path| [(path, ASHA), (path, RAVI), (path, "new@example.com")])
    {
        let refused = stage.post(path, body(email)).header("x-jwt-aud", "staff").await;
        assert_eq!(refused.error(), (403, "unexpected_audience"), "{path} {email}");
    }
    assert_eq!(stage.number("select count(*) from auth.users").await, 2, "nobody is made for it");
    assert_eq!(stage.number("select count(*) from auth.one_time_tokens").await, 0);
    let sign_in = async |email: &str| stage.post("/token?grant_type=password", body(email)).await;
    assert_eq!(
        sign_in(RAVI).await.error(),
        (400, "invalid_credentials"),
        "users are looked up by address and audience"
    );
    let session = sign_in(ASHA).await;
    let put = stage.put("/user", json!({})).bearer(session.field("access_token"));
    assert_eq!(put.header("x-jwt-aud", "staff").await.error(), (400, "validation_failed"));
    let put = stage.put("/user", json!({})).bearer(session.field("access_token"));
    assert_eq!(put.header("x-jwt-aud", "authenticated").await.status, 200);
    stage.execute("update auth.users set aud = 'teachers' where email = 'asha@example.com'").await;
    let refreshed = stage.refresh(session.field("refresh_token")).await;
    assert_eq!(stage.claims(refreshed.field("access_token"))["aud"], "teachers");
    let put = stage.put("/user", json!({})).bearer(refreshed.field("access_token"));
    assert_eq!(put.header("x-jwt-aud", "teachers").await.status, 200, "that of the token counts");
}

// rows: W14 W15
#[tokio::test]
async fn headers_of_clients_are_taken() {
    let stage = Stage::new().await;
    let asked = stage
        .post("/otp", json!({"email": ASHA, "gotrue_meta_security": {}, "unknown": {"deep": [1, 2]}}))
        .header("content-type", "application/json;charset=UTF-8")
        .header("x-client-info", "supabase-js/2")
        .header("x-supabase-api-version", "2024-01-01")
        .header("x-use-cookie", "session")
        .await;
    assert_eq!((asked.status, asked.json()), (200, json!({})));
    let deep = format!("{{\"email\": {}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(stage.call(Method::POST, "/otp").bytes(deep).await.error(), (400, "bad_json"));
}

// rows: H3 H4 J5 J6
#[tokio::test]
async fn verifiers_find_issuer_and_keys() {
    let stage = Stage::new().await;
    let document = stage.get("/.well-known/openid-configuration").await;
    assert_eq!(document["issuer"], "http://127.0.0.1:54321/auth/v1");
    assert_eq!(document["jwks_uri"], "http://127.0.0.1:54321/auth/v1/.well-known/jwks.json");
    let jwks = stage.get("/.well-known/jwks.json").await;
    assert_eq!(jwks.header("cache-control"), Some("public, max-age=600"));
    let key = &jwks["keys"][0];
    for (name, value) in [
        ("kid", json!("b81269f1-21d8-4f2e-b719-c2240a840d90")),
        ("alg", json!("ES256")),
        ("use", json!("sig")),
        ("key_ops", json!(["verify"])),
        ("x", json!("M5Sjqn5zwC9Kl1zVfUUGvv9boQjCGd45G8sdopBExB4")),
    ] {
        assert_eq!(key[name], value, "{name}");
    }
    assert!(key.get("d").is_none());
}

fn bearer_of(answer: &Answer) -> &str {
    answer.field("client_id")
}

// rows: H48 X1 X2
#[tokio::test]
async fn clients_of_the_oauth_server_are_kept() {
    let stage = Stage::with("[auth.oauth_server]\nenabled = true\n").await;
    let call = |method: Method, path: String, body: serde_json::Value| {
        let stage = stage.clone();
        async move { stage.call(method, &path).json(&body).bearer(&stage.service_key()).await }
    };
    let wanted = json!({"client_name": "Reports", "redirect_uris": ["https://a.example/cb", "http://localhost:3000/cb"]});
    let made = call(Method::POST, "/admin/oauth/clients".into(), wanted.clone()).await;
    assert_eq!(made.status, 201, "{}", made.json());
    assert_eq!(made["redirect_uris"], wanted["redirect_uris"]);
    assert_eq!(
        (&made["client_type"], &made["token_endpoint_auth_method"], &made["registration_type"]),
        (&json!("confidential"), &json!("client_secret_basic"), &json!("manual"))
    );
    assert_eq!(
        (&made["grant_types"], &made["response_types"]),
        (&json!(["authorization_code", "refresh_token"]), &json!(["code"]))
    );
    let path = format!("/admin/oauth/clients/{}", bearer_of(&made));
    let shown = call(Method::GET, path.clone(), json!({})).await;
    assert!(shown.json().get("client_secret").is_none(), "the secret is told once");
    let changed = call(Method::PUT, path.clone(), json!({"logo_uri": "https://a.example/logo.png"})).await;
    assert_eq!(
        (&changed["logo_uri"], &changed["client_name"]),
        (&json!("https://a.example/logo.png"), &json!("Reports"))
    );
    assert_eq!(call(Method::PUT, path.clone(), json!({})).await.error(), (400, "validation_failed"));
    let renewed = call(Method::POST, format!("{path}/regenerate_secret"), json!({})).await;
    assert_ne!(renewed.field("client_secret"), made.field("client_secret"));
    let stored: String = sqlx::query_scalar("select client_secret_hash from auth.oauth_clients")
        .fetch_one(stage.sql())
        .await
        .unwrap();
    assert_ne!(stored, renewed.field("client_secret"));
    let public = call(
        Method::POST,
        "/admin/oauth/clients".into(),
        json!({"client_type": "public", "redirect_uris": ["app://cb"]}),
    )
    .await;
    assert!(public.json().get("client_secret").is_none());
    let public = format!("/admin/oauth/clients/{}/regenerate_secret", bearer_of(&public));
    assert_eq!(call(Method::POST, public, json!({})).await.error(), (400, "validation_failed"));
    let list = call(Method::GET, "/admin/oauth/clients?page=1&per_page=1".into(), json!({})).await;
    assert_eq!(
        (list["clients"].as_array().unwrap().len(), list.header("x-total-count").unwrap_or_default()),
        (1, "2")
    );
    assert!(list.header("link").unwrap_or_default().contains("rel=\"last\""));
    assert_eq!(call(Method::DELETE, path.clone(), json!({})).await.status, 204);
    assert_eq!(call(Method::GET, path, json!({})).await.error(), (404, "oauth_client_not_found"));
    assert_eq!(stage.get("/admin/oauth/clients").bearer(stage.anon_key()).await.error(), (403, "not_admin"));
}

// rows: X2
#[tokio::test]
async fn addresses_that_could_leak_codes_are_refused() {
    let stage = Stage::with("[auth.oauth_server]\nenabled = true\n").await;
    let many: Vec<String> = (0..11).map(|n| format!("https://a.example/{n}")).collect();
    for addresses in [
        json!([]),
        json!(many),
        json!(["http://a.example/cb"]),
        json!(["https://a.example/cb#x"]),
        json!(["javascript:alert(1)"]),
        json!(["data:text/html,x"]),
        json!(["/relative"]),
        json!(["https://a.example/,https://evil.example/"]),
    ] {
        let body = json!({"redirect_uris": addresses});
        let refused = stage.post("/admin/oauth/clients", &body).bearer(&stage.service_key()).await;
        assert_eq!(refused.error(), (400, "validation_failed"), "{addresses}");
        assert!(refused.field("msg").contains("redirect_uri"), "{}", refused.json());
    }
    let long = json!({"redirect_uris": ["https://a.example/"], "client_name": "x".repeat(1025)});
    assert_eq!(stage.post("/admin/oauth/clients", &long).bearer(&stage.service_key()).await.status, 400);
}

// rows: X1 X9 X10 X12 H5 H60 H61 H62 H65
#[tokio::test]
async fn what_is_kept_off_says_so() {
    let stage = Stage::new().await;
    for (path, code) in [
        ("/.well-known/oauth-authorization-server", "feature_disabled"),
        ("/oauth/authorize", "feature_disabled"),
        ("/oauth/token", "feature_disabled"),
        ("/oauth/clients/register", "feature_disabled"),
        ("/scim/v2/ServiceProviderConfig", "feature_disabled"),
        ("/sso", "saml_provider_disabled"),
        ("/sso/saml/metadata", "saml_provider_disabled"),
        ("/admin/sso/providers", "saml_provider_disabled"),
        ("/admin/custom-providers", "feature_disabled"),
        ("/admin/oauth/clients", "feature_disabled"),
    ] {
        let answer = stage.get(path).bearer(&stage.service_key()).await;
        assert_eq!(answer.error(), (404, code), "{path}");
    }
    assert_eq!(stage.get("/admin/custom-providers").await.error(), (401, "no_authorization"));
    let sso = stage.post("/sso", json!({"domain": "school.example"})).await;
    assert_eq!(sso["msg"], "SAML 2.0 is disabled");
}

// rows: W5
#[tokio::test]
async fn what_is_too_large_or_no_text_is_answered_in_json_everywhere() {
    let stage = Stage::new().await;
    let large = stage.call(http::Method::POST, "/callback").bytes("a".repeat(1_100_000)).await;
    assert_eq!(large.error(), (413, "request_entity_too_large"));
    let key = stage.service_key();
    let odd = stage.get("/admin/users/%FF").header("apikey", &key).bearer(&key).await;
    assert_eq!(odd.error(), (404, "validation_failed"));
}
