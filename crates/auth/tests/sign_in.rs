use serde_json::json;

use crate::support::{ASHA, Stage, wrong};

const CONFIRM: &str = "[auth.email]\nenable_confirmations = true\n";

// rows: T-1 M8
#[tokio::test]
async fn a_new_address_gets_one_mail_with_a_code_and_a_confirmed_account() {
    let stage = Stage::new().await;
    let asked = stage.ask(" Asha@Example.com ").await;
    assert_eq!((asked.status, asked.json()), (200, json!({})));
    let mails = stage.mails(ASHA).await;
    assert_eq!(mails.len(), 1);
    let code = stage.code(ASHA).await;
    assert!(mails[0].0.contains(&code), "the subject carries the code: {}", mails[0].0);
    assert!(mails[0].1.contains(&code), "so does the text: {}", mails[0].1);
    let user = stage
        .number(
            "select count(*) from auth.users where email_confirmed_at is not null and role = 'authenticated'",
        )
        .await;
    let identity = stage
        .number(
            "select count(*) from auth.identities where provider = 'email' and email = 'asha@example.com'",
        )
        .await;
    assert_eq!((user, identity), (1, 1));
}

// rows: T-1 M10
#[tokio::test]
async fn with_confirmations_the_account_is_confirmed_by_its_first_code() {
    let stage = Stage::with(CONFIRM).await;
    stage.ask(ASHA).await;
    assert_eq!(stage.number("select count(*) from auth.users where email_confirmed_at is null").await, 1);
    assert!(stage.mails(ASHA).await[0].0.contains("confirmation"));
    let session = stage.verify(ASHA, &stage.code(ASHA).await).await;
    assert_eq!(session.status, 200, "{}", session.json());
    assert!(session["user"]["email_confirmed_at"].is_string());
    assert_eq!(session["user"]["identities"][0]["identity_data"]["email_verified"], json!(true));
    stage.wait(2);
    stage.ask(ASHA).await;
    assert!(stage.mails(ASHA).await[1].0.contains("sign-in"), "a known address gets the sign-in mail (M10)");
}

// rows: T-2 M5 V1 H10 O26 O28
#[tokio::test]
async fn a_wrong_code_is_refused_the_right_one_works_once() {
    let stage = Stage::new().await;
    stage.ask(ASHA).await;
    let code = stage.code(ASHA).await;
    let refused = stage.verify(ASHA, &wrong(&code, 1)).await;
    assert_eq!(refused.error(), (403, "otp_expired"));
    assert_eq!(refused["msg"], "Token has expired or is invalid");
    let session = stage.verify(ASHA, &code).await;
    assert_eq!(session.status, 200, "{}", session.json());
    assert_eq!(session["token_type"], "bearer");
    assert_eq!(session["expires_in"], 3600);
    assert_eq!(session["user"]["email"], ASHA);
    assert_eq!(stage.verify(ASHA, &code).await.error(), (403, "otp_expired"));
}

// rows: T-3 M7
#[tokio::test]
async fn a_second_mail_within_the_shortest_time_is_429_with_the_seconds() {
    let stage = Stage::with("[auth.email]\nmax_frequency = \"60s\"\n").await;
    stage.ask(ASHA).await;
    stage.wait(15);
    let refused = stage.ask(ASHA).await;
    assert_eq!(refused.error(), (429, "over_email_send_rate_limit"));
    assert_eq!(refused["msg"], "For security purposes, you can only request this after 45 seconds.");
    assert_eq!(refused.header("retry-after"), Some("45"));
    stage.wait(45);
    assert_eq!(stage.ask(ASHA).await.status, 200);
    assert_eq!(stage.mails(ASHA).await.len(), 2);
}

// rows: M4
#[tokio::test]
async fn a_code_expires() {
    let stage = Stage::new().await;
    stage.ask(ASHA).await;
    let code = stage.code(ASHA).await;
    stage.wait(3601);
    assert_eq!(stage.verify(ASHA, &code).await.error(), (403, "otp_expired"));
}

// rows: M6
#[tokio::test]
async fn a_new_code_replaces_the_old_one() {
    let stage = Stage::new().await;
    stage.ask(ASHA).await;
    let old = stage.code(ASHA).await;
    stage.wait(2);
    stage.ask(ASHA).await;
    let new = stage.code(ASHA).await;
    if old != new {
        assert_eq!(stage.verify(ASHA, &old).await.error(), (403, "otp_expired"));
    }
    assert_eq!(stage.verify(ASHA, &new).await.status, 200);
}

// rows: M12
#[tokio::test]
async fn without_create_user_an_unknown_address_is_refused() {
    let stage = Stage::new().await;
    let refused = stage.post("/otp", json!({"email": ASHA, "create_user": false})).await;
    assert_eq!(refused.error(), (422, "otp_disabled"));
    assert_eq!(stage.number("select count(*) from auth.users").await, 0);
}

// rows: H8
#[tokio::test]
async fn by_mail_every_field_is_read_and_every_refusal_has_its_code() {
    let stage = Stage::with(
        "[auth]\nadditional_redirect_urls = [\"http://localhost:5173/**\"]\n\
        [auth.email.template.magic_link]\nsubject = \"{{ .ConfirmationURL }}\"\n",
    )
    .await;
    let path = "/otp?redirect_to=http%3A%2F%2Flocalhost%3A5173%2Fwelcome";
    let challenge = "c".repeat(43);
    let whole = json!({
        "email": ASHA, "create_user": true, "data": {"name": "Asha"}, "channel": "sms",
        "code_challenge": challenge, "code_challenge_method": "plain",
    });
    let asked = stage.post(path, &whole).await;
    assert_eq!((asked.status, asked.json()), (200, json!({})));
    let kept: (String, String) =
        sqlx::query_as("select code_challenge, code_challenge_method::text from auth.flow_state")
            .fetch_one(stage.sql())
            .await
            .unwrap();
    assert_eq!(kept, (challenge.clone(), "plain".to_owned()));
    let (link, _) = stage.mails(ASHA).await.pop().expect("by mail, whatever the channel is said to be");
    assert!(link.contains("redirect_to=http%3A%2F%2Flocalhost%3A5173%2Fwelcome"), "{link}");
    let session = stage.verify(ASHA, &stage.code(ASHA).await).await;
    assert_eq!(session["user"]["user_metadata"]["name"], "Asha", "{}", session.json());
    for (body, error) in [
        (json!({"email": "new@example.com", "create_user": false}), (422, "otp_disabled")),
        (json!({"email": ASHA}), (429, "over_email_send_rate_limit")),
        (json!({}), (400, "validation_failed")),
        (json!({"email": ASHA, "phone": "+919800000001"}), (400, "validation_failed")),
        (json!({"email": "no address"}), (400, "validation_failed")),
        (json!({"email": ASHA, "code_challenge": challenge}), (400, "validation_failed")),
    ] {
        assert_eq!(stage.post("/otp", &body).await.error(), error, "{body}");
    }
    let off = Stage::with("[auth.email]\nenabled = false\n").await;
    assert_eq!(off.ask(ASHA).await.error(), (422, "email_provider_disabled"));
}

// rows: M14
#[tokio::test]
async fn data_becomes_metadata_of_a_new_user_only() {
    let stage = Stage::new().await;
    stage.post("/otp", json!({"email": ASHA, "data": {"name": "Asha"}})).await;
    stage.wait(2);
    stage.post("/otp", json!({"email": ASHA, "data": {"name": "Mallory"}})).await;
    let session = stage.verify(ASHA, &stage.code(ASHA).await).await;
    assert_eq!(session["user"]["user_metadata"]["name"], "Asha");
    assert_eq!(session["user"]["app_metadata"], json!({"provider": "email", "providers": ["email"]}));
}

#[tokio::test]
async fn signup_disabled_refuses_new_addresses_only() {
    let stage = Stage::with("[auth]\nenable_signup = false\n").await;
    assert_eq!(stage.ask(ASHA).await.error(), (422, "signup_disabled"));
    let made = stage
        .post("/admin/users", json!({"email": ASHA, "email_confirm": true}))
        .bearer(&stage.service_key())
        .await;
    assert_eq!(made.status, 200, "{}", made.json());
    stage.sign_in(ASHA).await;
}

// rows: T2 T3 T4 T5 T6 T8 T9 T10
#[tokio::test]
async fn claims_are_those_that_policies_read() {
    let stage = Stage::new().await;
    let session = stage.sign_in(ASHA).await;
    let claims = stage.claims(session.field("access_token"));
    let now = stage.now().unix_timestamp();
    assert_eq!(claims["iss"], "http://127.0.0.1:54321/auth/v1");
    assert_eq!(claims["sub"], session["user"]["id"]);
    assert_eq!((&claims["aud"], &claims["role"]), (&json!("authenticated"), &json!("authenticated")));
    assert_eq!((&claims["iat"], &claims["exp"]), (&json!(now), &json!(now + 3600)));
    assert_eq!((&claims["email"], &claims["phone"]), (&json!(ASHA), &json!("")));
    assert_eq!((&claims["aal"], &claims["is_anonymous"]), (&json!("aal1"), &json!(false)));
    assert_eq!(claims["amr"], json!([{"method": "otp", "timestamp": now}]));
    assert_eq!(claims["user_metadata"]["email_verified"], json!(true));
    let session_row: i64 = sqlx::query_scalar("select count(*) from auth.sessions where id::text = $1")
        .bind(claims["session_id"].as_str().unwrap())
        .fetch_one(stage.sql())
        .await
        .unwrap();
    assert_eq!(session_row, 1);
}

#[tokio::test]
async fn two_requests_for_one_new_address_make_one_account() {
    let stage = Stage::with("[auth.email]\nmax_frequency = \"0s\"\n").await;
    let tries: Vec<_> = (0..8)
        .map(|_| {
            let stage = stage.clone();
            tokio::spawn(async move { stage.ask(ASHA).await.status })
        })
        .collect();
    for one in tries {
        assert_eq!(one.await.unwrap(), 200);
    }
    assert_eq!(stage.number("select count(*) from auth.users").await, 1);
    let session = stage.number("select count(*) from auth.one_time_tokens").await;
    assert_eq!(session, 1);
}

// rows: M3
#[tokio::test]
async fn the_table_holds_nothing_a_reader_could_sign_in_with() {
    let stage = Stage::new().await;
    stage.ask(ASHA).await;
    let code = stage.code(ASHA).await;
    let stored: String = sqlx::query_scalar("select token_hash from auth.one_time_tokens")
        .fetch_one(stage.sql())
        .await
        .unwrap();
    assert!(!stored.contains(&code));
    let by_hash = stage.post("/verify", json!({"type": "email", "token_hash": stored})).await;
    assert_eq!(by_hash.error(), (403, "otp_expired"));
    let as_code = stage.post("/verify", json!({"type": "email", "email": ASHA, "token": stored})).await;
    assert_eq!(as_code.error(), (403, "otp_expired"));
}

// rows: M3
#[tokio::test]
async fn a_hash_of_the_references_form_still_counts() {
    let stage = Stage::new().await;
    stage.ask(ASHA).await;
    // SHA-224 of "asha@example.com123456", as an imported database holds it.
    sqlx::query(
        "update auth.one_time_tokens
        set token_hash = encode(sha224(convert_to('asha@example.com123456', 'utf8')), 'hex')",
    )
    .execute(stage.sql())
    .await
    .unwrap();
    assert_eq!(stage.verify(ASHA, "123456").await.status, 200);
}

// rows: Q3
#[tokio::test]
async fn one_client_may_ask_only_so_often() {
    let stage = Stage::with("[auth.rate_limit]\nsign_in_sign_ups = 3\n").await;
    for number in 0..3 {
        assert_eq!(stage.ask(&format!("t{number}@example.com")).await.status, 200);
    }
    let refused = stage.ask("t4@example.com").await;
    assert_eq!(refused.error(), (429, "over_request_rate_limit"));
    assert_eq!(refused.header("retry-after"), Some("100"));
    let other = stage.post("/otp", json!({"email": ASHA})).from([192, 0, 2, 9]).await;
    assert_eq!(other.status, 200, "another client is not held back");
}

// rows: M8
#[tokio::test]
async fn the_projects_mails_are_limited() {
    let smtp = "[auth.email.smtp]\nhost = \"smtp.example.com\"\nport = 587\nuser = \"u\"\npass = \"p\"\nadmin_email = \"a@example.com\"\n";
    let stage = Stage::with(&format!("[auth.rate_limit]\nemail_sent = 2\n{CONFIRM}{smtp}")).await;
    assert_eq!(stage.ask("a@example.com").await.status, 200);
    assert_eq!(stage.ask("b@example.com").await.status, 200);
    let refused = stage.ask("c@example.com").await;
    assert_eq!(refused.error(), (429, "over_email_send_rate_limit"));
    assert_eq!(refused["msg"], "email rate limit exceeded");
    assert_eq!(stage.number("select count(*) from auth.users").await, 2, "nothing of it was kept");
}

// rows: M30
#[tokio::test]
async fn a_template_of_the_project_is_used() {
    let mut config = banyan_testkit::config();
    config.auth.templates.insert(
        "magic_link".into(),
        banyan_config::EmailTemplate {
            subject: Some("Code {{ .Token }}\r\nBcc: x@example.com".into()),
            content: Some("<p>{{ .Data.name }}: {{ .Token }} {{ .SiteURL }}</p>".into()),
        },
    );
    let stage = Stage::of(config).await;
    stage.post("/otp", json!({"email": ASHA, "data": {"name": "<i>A</i>"}})).await;
    let code = stage.code(ASHA).await;
    let (subject, text) = stage.mails(ASHA).await.remove(0);
    assert_eq!(subject, format!("Code {code}Bcc: x@example.com"), "no line of its own");
    assert_eq!(text, format!("<i>A</i>: {code} http://127.0.0.1:3000"));
}
