use http::Method;
use serde_json::json;

use crate::support::{ASHA, Stage};

// rows: T-12 E1 E2
#[tokio::test]
async fn errors_have_the_form_the_client_asks_for() {
    let stage = Stage::new().await;
    let older = stage.post("/otp", json!({})).await;
    assert_eq!(
        older.json(),
        json!({"code": 400, "error_code": "validation_failed", "msg": "One of email or phone must be set"})
    );
    assert_eq!(older.header("x-supabase-api-version"), None);
    let newer = stage.post("/otp", json!({})).header("X-Supabase-Api-Version", "2024-01-01").await;
    assert_eq!(
        newer.json(),
        json!({"code": "validation_failed", "message": "One of email or phone must be set"})
    );
    assert_eq!(newer.header("x-supabase-api-version"), Some("2024-01-01"));
    assert_eq!(newer.header("x-sb-error-code"), Some("validation_failed"));
    for odd in ["2023-12-31", "yesterday", "2024-1-1"] {
        let answer = stage.post("/otp", json!({})).header("X-Supabase-Api-Version", odd).await;
        assert_eq!(answer["code"], 400, "{odd}");
    }
}

// rows: B1 B2 B4 B5
#[tokio::test]
async fn bearer_tokens_are_refused_in_the_documented_way() {
    let stage = Stage::new().await;
    let of = async |token: &str| stage.get("/user").bearer(token).await;
    assert_eq!(stage.get("/user").await.error(), (401, "no_authorization"));
    let basic = stage.get("/user").header("authorization", "Basic abc").await;
    assert_eq!(basic.error(), (401, "no_authorization"));
    let garbage = of("garbage").await;
    assert_eq!(garbage.error(), (403, "bad_jwt"));
    assert!(garbage.field("msg").starts_with("invalid JWT: unable to parse or verify signature"));
    let anon = of(stage.anon_key()).await;
    assert_eq!((anon.error(), anon.field("msg")), ((403, "bad_jwt"), "invalid claim: missing sub claim"));
    let token = |sub, extra| banyan_testkit::token("authenticated", sub, extra);
    assert_eq!(of(&token(None, json!({"sub": "seven"}))).await.error(), (400, "bad_jwt"));
    let nobody = Some(uuid::Uuid::from_u128(7));
    assert_eq!(of(&token(nobody, json!({}))).await.error(), (403, "user_not_found"));
    let odd_session = token(nobody, json!({"session_id": "seven"}));
    assert_eq!(of(&odd_session).await.error(), (403, "bad_jwt"));
    assert_eq!(of(&token(nobody, json!({"exp": 1_700_000_100}))).await.error(), (403, "bad_jwt"));
}

#[tokio::test]
async fn another_users_session_is_no_session() {
    let stage = Stage::new().await;
    let asha = stage.sign_in(ASHA).await;
    let ravi = stage.sign_in(crate::support::RAVI).await;
    let session = stage.claims(asha.field("access_token"))["session_id"].clone();
    let id = ravi["user"]["id"].as_str().unwrap().parse().unwrap();
    let mixed = banyan_testkit::token("authenticated", Some(id), json!({"session_id": session}));
    let answer = stage.get("/user").bearer(&mixed).await;
    assert_eq!(answer.error(), (403, "session_not_found"));
}

// rows: W5
#[tokio::test]
async fn bodies_are_limited_and_read_with_care() {
    let stage = Stage::new().await;
    let bad = stage.call(Method::POST, "/otp").bytes("{").await;
    assert_eq!(bad.error(), (400, "bad_json"));
    assert!(bad.field("msg").starts_with("Could not parse request body as JSON"));
    let quoted = stage.call(Method::POST, "/otp").bytes("\"expected struct x\"").await;
    let number = stage.call(Method::POST, "/token?grant_type=password").bytes("1").await;
    for told in [quoted.field("msg"), number.field("msg")] {
        assert!(!told.contains("Input") && told.contains("expected an object"), "a type of ours: {told}");
    }
    let list = stage.call(Method::POST, "/otp").bytes("[]").await;
    assert_eq!(
        list.field("msg"),
        "Could not parse request body as JSON: invalid type: sequence, expected an object at line 1 column 0"
    );
    let large = json!({"email": ASHA, "data": {"x": "x".repeat(1024 * 1024)}});
    assert_eq!(stage.post("/otp", &large).await.error(), (413, "request_entity_too_large"));
    let known = json!({
        "email": ASHA, "phone": null, "create_user": null, "data": null, "code_challenge": null,
        "code_challenge_method": null, "gotrue_meta_security": {"captcha_token": null}, "channel": "sms",
    });
    assert_eq!(stage.post("/otp", &known).await.status, 200, "W15: what auth-js sends is taken");
}

#[tokio::test]
async fn addresses_and_types_are_checked() {
    let stage = Stage::new().await;
    let cases = [
        ("/otp", json!({"email": "asha"}), (400, "validation_failed")),
        ("/otp", json!({"phone": "919800000000"}), (400, "phone_provider_disabled")),
        ("/otp", json!({"email": ASHA, "phone": "91"}), (400, "validation_failed")),
        ("/otp", json!({"email": ASHA, "code_challenge": "x"}), (400, "validation_failed")),
        ("/verify", json!({"email": ASHA, "token": "1"}), (400, "validation_failed")),
        ("/verify", json!({"type": "magic", "email": ASHA, "token": "1"}), (400, "validation_failed")),
        ("/verify", json!({"type": "email", "email": ASHA}), (400, "validation_failed")),
        ("/verify", json!({"type": "email", "token": "1"}), (400, "validation_failed")),
        ("/verify", json!({"type": "email", "token_hash": "x", "email": ASHA}), (400, "validation_failed")),
        ("/verify", json!({"type": "email", "token_hash": "x"}), (403, "otp_expired")),
        ("/resend", json!({"type": "magic", "email": ASHA}), (400, "validation_failed")),
        ("/token?grant_type=pkce", json!({"auth_code": "x"}), (400, "validation_failed")),
        ("/signup", json!({"data": {}}), (422, "anonymous_provider_disabled")),
    ];
    for (path, body, expected) in cases {
        assert_eq!(stage.post(path, &body).await.error(), expected, "{path} {body}");
    }
}

// rows: app/S-145
#[tokio::test]
async fn google_that_is_not_configured_says_so() {
    let stage = Stage::new().await;
    let answer = stage.get("/authorize?provider=google&redirect_to=http%3A%2F%2Fx").await;
    assert_eq!(answer.error(), (400, "validation_failed"));
    assert_eq!(answer["msg"], "Unsupported provider: provider is not enabled");
    let unknown = stage.get("/authorize?provider=evil%3Cb%3E").await;
    assert_eq!(unknown["msg"], "Unsupported provider: Provider evil<b> could not be found");
}

// rows: W11
#[tokio::test]
async fn unknown_paths_and_methods_are_errors_of_the_same_form() {
    let stage = Stage::new().await;
    assert_eq!(stage.get("/nothing").await.error(), (404, "not_found"));
    assert_eq!(stage.call(Method::DELETE, "/otp").await.error(), (405, "method_not_allowed"));
}

// rows: H1 H2 H3
#[tokio::test]
async fn the_public_pages() {
    let stage = Stage::new().await;
    let health = stage.get("/health").await;
    assert_eq!((health.status, &health["name"]), (200, &json!("GoTrue")));
    let settings = stage.get("/settings").await;
    assert_eq!(settings["external"]["email"], json!(true));
    assert_eq!(settings["external"]["google"], json!(false));
    assert_eq!(settings["mailer_autoconfirm"], json!(true));
    assert_eq!(settings["disable_signup"], json!(false));
    let jwks = stage.get("/.well-known/jwks.json").await;
    assert_eq!(jwks.header("cache-control"), Some("public, max-age=600"));
    let keys = jwks["keys"].as_array().unwrap();
    assert!(!keys.is_empty() && keys.iter().all(|key| key["kty"] == "EC" && key.get("d").is_none()));
}

// rows: E5 C5
#[tokio::test]
async fn what_a_trigger_raised_reaches_the_developer() {
    let stage = Stage::new().await;
    stage
        .execute(
            "create function public.only_school() returns trigger language plpgsql as $$
            begin
                raise exception 'Only schools' using detail = 'The domain is none', hint = 'Ask your school';
            end $$;
            create trigger only_school before insert on auth.users for each row execute function public.only_school();",
        )
        .await;
    let older = stage.ask(ASHA).await;
    assert_eq!((older.status, &older["code"]), (500, &json!("P0001")), "{}", older.json());
    assert_eq!((older.field("message"), older.field("detail")), ("Only schools", "The domain is none"));
    assert_eq!(older.field("hint"), "Ask your school");
    let body = json!({"email": ASHA});
    let newer = stage.post("/otp", &body).header("X-Supabase-Api-Version", "2024-01-01").await;
    assert_eq!((newer.status, &newer["code"]), (500, &json!("unexpected_failure")), "{}", newer.json());
    assert!(newer.field("message").contains("Only schools"), "{}", newer.json());
    for path in ["/signup", "/invite", "/admin/users"] {
        let body = json!({"email": ASHA, "password": "long enough"});
        let refused = stage.post(path, &body).bearer(&stage.service_key()).await;
        assert_eq!((refused.status, &refused["code"]), (500, &json!("P0001")), "{path}: {}", refused.json());
    }
    assert_eq!(stage.number("select count(*) from auth.users").await, 0);
}

// rows: E6 E2
#[tokio::test]
async fn what_nobody_foresaw_says_no_more_than_that() {
    let stage = Stage::new().await;
    stage.execute("alter table auth.banyan_code_clients rename to elsewhere").await;
    let failed = stage.post("/otp", json!({"email": ASHA})).header("x-request-id", "r-1").await;
    assert_eq!(
        failed.json(),
        json!({
            "code": 500, "error_code": "unexpected_failure", "error_id": "r-1",
            "msg": "Unexpected failure, please check server logs for more information",
        })
    );
    assert_eq!(failed.header("x-sb-error-code"), Some("unexpected_failure"));
}

// rows: E1 E7 W9
#[tokio::test]
async fn both_forms_of_an_error_say_the_same() {
    let stage = Stage::new().await;
    let body = json!({"email": ASHA, "password": "wrong"});
    let older = stage.post("/token?grant_type=password", &body).await;
    let newer =
        stage.post("/token?grant_type=password", &body).header("X-Supabase-Api-Version", "2024-01-01").await;
    assert_eq!(
        older.json(),
        json!({"code": 400, "error_code": "invalid_credentials", "msg": "Invalid login credentials"})
    );
    assert_eq!(newer.json(), json!({"code": "invalid_credentials", "message": "Invalid login credentials"}));
    for answer in [&older, &newer] {
        assert_eq!(answer.header("x-sb-error-code"), Some("invalid_credentials"));
    }
}

// rows: H19
#[tokio::test]
async fn other_grants_are_refused() {
    let stage = Stage::new().await;
    for grant in ["", "client_credentials", "PASSWORD"] {
        let refused = stage.post(&format!("/token?grant_type={grant}"), json!({})).await;
        assert_eq!(
            (refused.error(), refused.field("msg")),
            ((400, "invalid_credentials"), "unsupported_grant_type")
        );
    }
}

// rows: C4 Q2 Q3
#[tokio::test]
async fn limits_say_who_was_limited_and_for_how_long() {
    let stage = Stage::with("[auth.rate_limit]\nsign_in_sign_ups = 2\n").await;
    for path in ["/signup", "/recover", "/otp", "/magiclink", "/resend"] {
        let ask = async |number: u32| {
            let email = format!("{}{number}@example.com", &path[1..]);
            let body =
                json!({"email": email, "password": "long enough", "type": "signup", "create_user": false});
            stage.post(path, &body).await
        };
        for number in 0..2 {
            assert_ne!(ask(number).await.status, 429, "{path}: a bucket of its own");
        }
        let refused = ask(2).await;
        assert_eq!(
            (refused.error(), refused.field("msg")),
            ((429, "over_request_rate_limit"), "Request rate limit reached")
        );
        assert_eq!(refused.header("retry-after"), Some("150"), "{path}");
    }
}

// rows: Z3 C6
#[tokio::test]
async fn an_account_with_nothing_but_nulls_can_do_everything() {
    let stage = Stage::new().await;
    stage
        .execute(
            "insert into auth.users (id, instance_id, aud, role, email, email_confirmed_at, encrypted_password)
            values ('00000000-0000-0000-0000-000000000007', '00000000-0000-0000-0000-000000000000',
                'authenticated', 'authenticated', 'asha@example.com', now(),
                '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW')",
        )
        .await;
    let session = stage.post("/token?grant_type=password", json!({"email": ASHA, "password": "U*U"})).await;
    assert_eq!(session.status, 200, "{}", session.json());
    let token = session.field("access_token");
    for body in
        [json!({"data": {"a": 1}}), json!({"password": "long enough"}), json!({"email": "b@example.com"})]
    {
        assert_eq!(stage.put("/user", &body).bearer(token).await.status, 200, "{body}");
    }
    stage.wait(2);
    assert_eq!(stage.post("/recover", json!({"email": ASHA})).await.status, 200);
    let list = stage.get("/admin/users").bearer(&stage.service_key()).await;
    assert_eq!(list["users"][0]["email"], ASHA);
}
