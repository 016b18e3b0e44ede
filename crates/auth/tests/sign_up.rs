use std::time::Instant;

use serde_json::json;

use crate::{
    passwords::{LEAST_TIME, PASSWORD, sign_up},
    support::{ASHA, RAVI, Stage},
};

const CONFIRM: &str = "[auth.email]\nenable_confirmations = true\n";
const ANONYMOUS: &str = "[auth]\nenable_anonymous_sign_ins = true\n";
const PHONES: &str = "[auth.sms]\nenable_signup = true\n";

// rows: H6 O13 O33
#[tokio::test]
async fn where_addresses_count_at_once_a_sign_up_brings_a_session() {
    let stage = Stage::new().await;
    let body = json!({"email": ASHA, "password": PASSWORD, "data": {"name": "Asha"}});
    let session = stage.post("/signup", &body).await;
    assert_eq!(session.status, 200, "{}", session.json());
    let user = &session["user"];
    assert!(session["access_token"].is_string() && user["email_confirmed_at"].is_string());
    let metadata = &user["user_metadata"];
    assert_eq!((&metadata["name"], &metadata["email"]), (&json!("Asha"), &json!(ASHA)));
    assert_eq!((&metadata["sub"], &metadata["email_verified"]), (&user["id"], &json!(true)));
    assert_eq!(user["app_metadata"], json!({"provider": "email", "providers": ["email"]}));
    assert_eq!(user["identities"][0]["provider"], "email");
    assert!(stage.mails(ASHA).await.is_empty());
}

// rows: M17
#[tokio::test]
async fn where_addresses_count_at_once_a_known_one_is_told() {
    let stage = Stage::new().await;
    sign_up(&stage, ASHA).await;
    let again = sign_up(&stage, "ASHA@example.com").await;
    assert_eq!(again.error(), (422, "user_already_exists"));
    assert_eq!(again.field("msg"), "User already registered");
    assert_eq!(stage.number("select count(*) from auth.users").await, 1);
    let body = json!({"email": RAVI, "user_metadata": {"secret": 1}});
    stage.post("/admin/users", &body).bearer(&stage.service_key()).await;
    assert_eq!(
        sign_up(&stage, RAVI).await.error(),
        (422, "user_already_exists"),
        "nor does an account that was never confirmed become somebody else's"
    );
}

// rows: H6 O33
#[tokio::test]
async fn with_confirmations_a_sign_up_brings_the_bare_user_and_a_mail() {
    let stage = Stage::with(CONFIRM).await;
    let user = sign_up(&stage, ASHA).await;
    assert_eq!((user.status, &user["email"]), (200, &json!(ASHA)), "{}", user.json());
    assert!(user.json().get("access_token").is_none() && user.json().get("email_confirmed_at").is_none());
    assert!(user["confirmation_sent_at"].is_string(), "O8");
    assert_eq!(stage.mails(ASHA).await.len(), 1);
    let code = stage.code(ASHA).await;
    let session = stage.post("/verify", json!({"type": "signup", "email": ASHA, "token": code})).await;
    assert_eq!(session.status, 200, "{}", session.json());
    assert_eq!(session["user"]["id"], user["id"]);
}

// rows: M17 V14
#[tokio::test]
async fn with_confirmations_a_known_address_cannot_be_told_from_a_new_one() {
    let stage = Stage::with(CONFIRM).await;
    let first = sign_up(&stage, ASHA).await;
    stage.verify(ASHA, &stage.code(ASHA).await).await;
    let mails = stage.mails(ASHA).await.len();
    stage.wait(2);
    let timed = async |email: &'static str| {
        let began = Instant::now();
        (sign_up(&stage, email).await, began.elapsed())
    };
    let (known, known_time) = timed(ASHA).await;
    let (new, new_time) = timed(RAVI).await;
    assert_eq!((known.status, new.status), (200, 200));
    assert_ne!(known["id"], first["id"], "a made-up account");
    assert_eq!((&known["identities"], &known["role"]), (&json!([]), &json!("")));
    assert!(known["confirmation_sent_at"].is_string() && known.json().get("last_sign_in_at").is_none());
    assert_eq!(stage.mails(ASHA).await.len(), mails, "nothing is sent");
    assert!(new_time.min(known_time) >= LEAST_TIME, "{new_time:?} and {known_time:?}");
}

// rows: M18
#[tokio::test]
async fn an_unconfirmed_sign_up_is_sent_again_and_stays_as_it_was() {
    let stage = Stage::with(CONFIRM).await;
    let first =
        stage.post("/signup", json!({"email": ASHA, "password": PASSWORD, "data": {"name": "Asha"}})).await;
    stage.wait(2);
    let second = stage
        .post("/signup", json!({"email": ASHA, "password": PASSWORD, "data": {"name": "Mallory"}}))
        .await;
    assert_eq!((second.status, &second["id"]), (200, &first["id"]));
    assert_eq!(stage.mails(ASHA).await.len(), 2);
    stage.verify(ASHA, &stage.code(ASHA).await).await;
    let signed_in =
        stage.post("/token?grant_type=password", json!({"email": ASHA, "password": PASSWORD})).await;
    assert_eq!(signed_in["user"]["user_metadata"]["name"], "Asha", "{}", signed_in.json());
}

// rows: M7
#[tokio::test]
async fn a_second_sign_up_at_once_is_told_to_wait() {
    let stage = Stage::with("[auth.email]\nenable_confirmations = true\nmax_frequency = \"60s\"\n").await;
    sign_up(&stage, ASHA).await;
    let refused = sign_up(&stage, ASHA).await;
    assert_eq!(refused.error(), (429, "over_email_send_rate_limit"));
    assert_eq!(refused.header("retry-after"), Some("60"));
}

// rows: H6
#[tokio::test]
async fn sign_ups_can_be_switched_off() {
    let stage = Stage::with("[auth]\nenable_signup = false\nenable_anonymous_sign_ins = true\n").await;
    let refused = sign_up(&stage, ASHA).await;
    assert_eq!(
        (refused.error(), refused.field("msg")),
        ((422, "signup_disabled"), "Signups not allowed for this instance")
    );
    assert_eq!(stage.post("/signup", json!({})).await.error(), (422, "signup_disabled"));
    let stage = Stage::with("[auth.email]\nenable_signup = false\n").await;
    assert_eq!(sign_up(&stage, ASHA).await.error(), (400, "email_provider_disabled"));
    let phone = json!({"phone": "+919800000000", "password": PASSWORD});
    assert_eq!(stage.post("/signup", &phone).await.error(), (400, "phone_provider_disabled"));
}

// rows: H6 K2
#[tokio::test]
async fn bodies_of_sign_ups_are_checked() {
    let stage = Stage::with(PHONES).await;
    let cases = [
        (json!({"email": ASHA}), (400, "validation_failed")),
        (json!({"email": "asha", "password": PASSWORD}), (400, "validation_failed")),
        (json!({"email": ASHA, "phone": "91", "password": PASSWORD}), (400, "validation_failed")),
        (json!({"phone": "0", "password": PASSWORD}), (400, "validation_failed")),
        (json!({"email": ASHA, "password": PASSWORD, "code_challenge": "x"}), (400, "validation_failed")),
        (json!({"email": ASHA, "password": 7}), (400, "bad_json")),
    ];
    for (body, expected) in cases {
        assert_eq!(stage.post("/signup", &body).await.error(), expected, "{body}");
    }
    let wide = json!({"email": "аsha@example.com", "password": PASSWORD});
    let look_alike = stage.post("/signup", &wide).await;
    assert_eq!(look_alike.error(), (400, "validation_failed"), "a Cyrillic letter is no Latin one");
}

#[tokio::test]
async fn eight_sign_ups_at_once_make_one_account() {
    let stage = Stage::new().await;
    let tries: Vec<_> = (0..8)
        .map(|_| {
            let stage = stage.clone();
            tokio::spawn(async move { sign_up(&stage, ASHA).await.status })
        })
        .collect();
    let mut granted = 0;
    for one in tries {
        granted += usize::from(one.await.unwrap() == 200);
    }
    assert_eq!(granted, 1);
    assert_eq!(stage.number("select count(*) from auth.users").await, 1);
    assert_eq!(stage.number("select count(*) from auth.identities").await, 1);
}

// rows: H7 AN1
#[tokio::test]
async fn somebody_without_an_address_signs_in() {
    let stage = Stage::with(ANONYMOUS).await;
    let session = stage.post("/signup", json!({"data": {"theme": "dark"}})).await;
    assert_eq!(session.status, 200, "{}", session.json());
    let user = &session["user"];
    assert_eq!((&user["is_anonymous"], &user["identities"]), (&json!(true), &json!([])));
    assert_eq!((&user["role"], &user["email"]), (&json!("authenticated"), &json!("")));
    assert_eq!((&user["app_metadata"], &user["user_metadata"]), (&json!({}), &json!({"theme": "dark"})));
    let claims = stage.claims(session.field("access_token"));
    assert_eq!((&claims["is_anonymous"], &claims["amr"][0]["method"]), (&json!(true), &json!("anonymous")));
    assert_eq!(stage.refresh(session.field("refresh_token")).await.status, 200);
    let off = Stage::new().await;
    let refused = off.post("/signup", json!({})).await;
    assert_eq!(
        (refused.error(), refused.field("msg")),
        ((422, "anonymous_provider_disabled"), "Anonymous sign-ins are disabled")
    );
}

// rows: AN1 Q7
#[tokio::test]
async fn one_client_makes_so_many_anonymous_users_an_hour() {
    let stage = Stage::with(&format!("{ANONYMOUS}[auth.rate_limit]\nanonymous_users = 2\n")).await;
    for _ in 0..2 {
        assert_eq!(stage.post("/signup", json!({})).await.status, 200);
    }
    let refused = stage.post("/signup", json!({})).await;
    assert_eq!(refused.error(), (429, "over_request_rate_limit"));
    assert_eq!(refused.header("retry-after"), Some("1800"));
    assert_eq!(stage.post("/signup", json!({})).from([192, 0, 2, 77]).await.status, 200);
}

// rows: AN2
#[tokio::test]
async fn an_anonymous_user_becomes_a_known_one_by_an_address() {
    for confirm in [false, true] {
        let toml = format!("{ANONYMOUS}[auth.email]\nenable_confirmations = {confirm}\n");
        let stage = Stage::with(&toml).await;
        let session = stage.post("/signup", json!({})).await;
        let token = session.field("access_token");
        let asked = stage.put("/user", json!({"email": ASHA})).bearer(token).await;
        assert_eq!(asked.status, 200, "{}", asked.json());
        assert_eq!(asked["is_anonymous"], json!(confirm), "at once where addresses count at once");
        if confirm {
            let body = json!({"type": "email_change", "email": ASHA, "token": stage.code(ASHA).await});
            assert_eq!(stage.post("/verify", &body).await.status, 200);
        }
        let user = stage.get("/user").bearer(token).await;
        assert_eq!((&user["is_anonymous"], &user["email"]), (&json!(false), &json!(ASHA)));
        assert_eq!(user["app_metadata"], json!({"provider": "email", "providers": ["email"]}), "O12");
        assert_eq!(user["identities"][0]["provider"], "email");
    }
}

// rows: AN3
#[tokio::test]
async fn a_password_needs_an_address() {
    let stage = Stage::with(ANONYMOUS).await;
    let session = stage.post("/signup", json!({})).await;
    let token = session.field("access_token");
    let refused = stage.put("/user", json!({"password": PASSWORD})).bearer(token).await;
    assert_eq!(refused.error(), (422, "validation_failed"));
    let both = json!({"password": PASSWORD, "email": ASHA});
    assert_eq!(stage.put("/user", &both).bearer(token).await.status, 200);
    let body = json!({"email": ASHA, "password": PASSWORD});
    assert_eq!(stage.post("/token?grant_type=password", &body).await.status, 200);
}

// rows: H6 H14 O4
#[tokio::test]
async fn a_number_signs_up_and_in() {
    let stage = Stage::with(PHONES).await;
    let session = stage.post("/signup", json!({"phone": "+91 98000 00000", "password": PASSWORD})).await;
    assert_eq!(session.status, 200, "{}", session.json());
    let user = &session["user"];
    assert_eq!((&user["phone"], &user["email"]), (&json!("919800000000"), &json!("")));
    assert_eq!(user["app_metadata"]["provider"], "phone");
    assert!(user["phone_confirmed_at"].is_string() && user["confirmed_at"].is_string(), "O7");
    let body = json!({"phone": "919800000000", "password": PASSWORD});
    let again = stage.post("/token?grant_type=password", &body).await;
    assert_eq!(again["user"]["id"], user["id"], "{}", again.json());
    let twice = json!({"phone": "919800000000", "password": "other password"});
    assert_eq!(stage.post("/signup", &twice).await.error(), (422, "user_already_exists"));
}

// rows: V12 H8
#[tokio::test]
async fn a_test_number_signs_in_by_its_code_and_a_password_waits_for_it() {
    let toml = "[auth.sms]\nenable_signup = true\nenable_confirmations = true\n[auth.sms.test_otp]\n919800000000 = \"123456\"\n";
    let stage = Stage::with(toml).await;
    let up = json!({"phone": "919800000000", "password": PASSWORD});
    let user = stage.post("/signup", &up).await;
    assert_eq!(user.status, 200, "{}", user.json());
    assert!(user.json().get("access_token").is_none());
    let early = stage.post("/token?grant_type=password", &up).await;
    assert_eq!((early.error(), early.field("msg")), ((400, "phone_not_confirmed"), "Phone not confirmed"));
    let verify = async |code: &str| {
        let body = json!({"type": "sms", "phone": "+919800000000", "token": code});
        stage.post("/verify", &body).await
    };
    let wrong = verify("654321").await;
    assert_eq!(
        (wrong.error(), wrong.field("msg")),
        ((403, "otp_expired"), "Token has expired or is invalid")
    );
    let session = verify("123456").await;
    assert_eq!(session["user"]["phone"], "919800000000", "{}", session.json());
    assert_eq!(verify("123456").await.error(), (403, "otp_expired"), "once");
    stage.wait(6);
    assert_eq!(stage.post("/otp", json!({"phone": "919800000000"})).await.status, 200);
    assert_eq!(verify("123456").await.status, 200);
    let other = stage.post("/otp", json!({"phone": "919800000001"})).await;
    assert_eq!(other.error(), (422, "sms_send_failed"), "nobody is there to send it");
    assert_eq!(stage.number("select count(*) from auth.users").await, 1, "and nothing of it was kept");
}

// rows: M11 M13
#[tokio::test]
async fn the_verify_types_of_a_sign_up_by_code() {
    let stage = Stage::with(CONFIRM).await;
    for kind in ["email", "signup"] {
        let email = format!("{kind}@example.com");
        stage.ask(&email).await;
        let code = stage.code(&email).await;
        let wrong_kind = json!({"type": "magiclink", "email": email, "token": code});
        assert_eq!(stage.post("/verify", &wrong_kind).await.error(), (403, "otp_expired"));
        let body = json!({"type": kind, "email": email, "token": code});
        assert_eq!(stage.post("/verify", &body).await.status, 200, "{kind}");
    }
}

// rows: M12 C12
#[tokio::test]
async fn a_project_can_hide_who_has_an_account() {
    let mut config = banyan_testkit::config();
    config.auth.hide_unknown_users = true;
    let stage = Stage::of(config).await;
    stage.sign_in(ASHA).await;
    stage.wait(2);
    let of = async |email: &str| {
        let began = Instant::now();
        let answer = stage.post("/otp", json!({"email": email, "create_user": false})).await;
        (answer.status, answer.json(), began.elapsed())
    };
    let (known, unknown) = (of(ASHA).await, of("nobody@example.com").await);
    assert_eq!((known.0, &known.1), (200, &json!({})));
    assert_eq!((unknown.0, &unknown.1), (200, &json!({})));
    assert!(known.2.min(unknown.2) >= LEAST_TIME);
    assert_eq!(stage.number("select count(*) from auth.users").await, 1);
}

// rows: M17 U1
#[tokio::test]
async fn metadata_is_too_large_for_everybody_or_nobody() {
    let stage = Stage::with(CONFIRM).await;
    sign_up(&stage, ASHA).await;
    stage.verify(ASHA, &stage.code(ASHA).await).await;
    // Between the second and the third is what the identity of an address adds to it.
    for (size, status) in [(4000, 200), (5040, 400), (5200, 400)] {
        for (email, whose) in [(ASHA.to_owned(), "somebody's"), (format!("u{size}@example.com"), "new")] {
            stage.wait(2);
            let body = json!({"email": email, "password": PASSWORD, "data": {"text": "x".repeat(size)}});
            let answer = stage.post("/signup", &body).await;
            assert_eq!(
                answer.status,
                status,
                "{size} bytes for an address that is {whose}: {}",
                answer.json()
            );
        }
    }
}

// rows: M18
#[tokio::test]
async fn a_stranger_who_signs_up_learns_nothing_of_an_unconfirmed_account() {
    let stage = Stage::with(CONFIRM).await;
    let quiet = json!({"email": ASHA, "phone": "919800000000", "app_metadata": {"note": "internal"},
        "user_metadata": {"full_name": "Asha Patil"}});
    let made = stage.post("/admin/users", &quiet).bearer(&stage.service_key()).await;
    assert_eq!(made.status, 200, "{}", made.json());
    let asked = stage.post("/otp", json!({"email": RAVI, "data": {"full_name": "Ravi Patil"}})).await;
    assert_eq!(asked.status, 200, "{}", asked.json());
    stage.wait(2);
    for email in [ASHA, RAVI] {
        let answer = sign_up(&stage, email).await;
        assert_eq!((answer.status, answer.field("email")), (200, email), "{}", answer.json());
        let shown = answer.json().to_string();
        for private in ["internal", "Patil", "919800000000", made.field("id")] {
            assert!(!shown.contains(private), "{private}: {shown}");
        }
        assert_eq!(answer["identities"], json!([]), "as M17 has it");
        assert_eq!(answer["created_at"], answer["confirmation_sent_at"], "times of now");
    }
}
