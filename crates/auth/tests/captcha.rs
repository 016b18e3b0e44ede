use std::time::{Duration, Instant};

use banyan_config::{Captcha, CaptchaProvider};
use secrecy::SecretString;
use serde_json::{Value, json};

use crate::{
    fake_server::{Asked, Fake, Said},
    support::{ASHA, Stage},
};

/// A provider to whom only `solved` is an answer.
fn judge(asked: &Asked, _: usize) -> Said {
    if asked.body.contains("response=solved") {
        Said::json(200, &json!({"success": true}))
    } else {
        Said::json(200, &json!({"success": false, "error-codes": ["invalid-input-response"]}))
    }
}

async fn stage(provider: CaptchaProvider, fake: &Fake) -> Stage {
    let mut config = banyan_testkit::config_with("[auth]\nenable_anonymous_sign_ins = true\n");
    config.auth.captcha = Some(Captcha {
        provider,
        secret: SecretString::from("our secret"),
        url: format!("{}/siteverify", fake.url),
    });
    Stage::of(config).await
}

fn body(token: &str) -> Value {
    json!({"email": ASHA, "gotrue_meta_security": {"captcha_token": token}})
}

// rows: CA1
#[tokio::test]
async fn a_solved_puzzle_lets_a_request_pass_and_nothing_else_does() {
    for provider in [CaptchaProvider::Hcaptcha, CaptchaProvider::Turnstile] {
        let fake = Fake::start(judge).await;
        let stage = stage(provider, &fake).await;
        assert_eq!(stage.post("/otp", body("solved")).await.status, 200);
        let asked = fake.asked().remove(0);
        assert_eq!(asked.path, "/siteverify");
        assert_eq!(asked.body, "secret=our+secret&response=solved&remoteip=192.0.2.1");
        let wrong = stage.post("/otp", body("guessed")).await;
        assert_eq!(wrong.error(), (400, "captcha_failed"));
        assert!(wrong.field("msg").contains("invalid-input-response"), "{}", wrong.json());
        for missing in [json!({"email": ASHA}), body(" "), json!({"email": ASHA, "gotrue_meta_security": {}})]
        {
            assert_eq!(stage.post("/otp", &missing).await.error(), (400, "captcha_failed"));
        }
        assert_eq!(fake.asked().len(), 2, "what carries no token is not asked about");
    }
}

// rows: CA2
#[tokio::test]
async fn routes_that_send_or_try_are_guarded_and_others_are_not() {
    let fake = Fake::start(judge).await;
    let stage = stage(CaptchaProvider::Turnstile, &fake).await;
    for path in [
        "/signup",
        "/recover",
        "/resend",
        "/magiclink",
        "/otp",
        "/token?grant_type=password",
        "/passkeys/authentication/options",
    ] {
        let refused = stage.post(path, json!({"email": ASHA, "password": "long enough"})).await;
        assert_eq!(refused.error(), (400, "captcha_failed"), "{path}");
    }
    for grant in ["refresh_token", "pkce", "id_token"] {
        let answer = stage.post(&format!("/token?grant_type={grant}"), json!({})).await;
        assert_ne!(answer.error().1, "captcha_failed", "{grant}");
    }
    assert_eq!(stage.verify(ASHA, "123456").await.error(), (403, "otp_expired"));
    assert_eq!(stage.get("/settings").await.status, 200);
}

/// Somebody signs up with an address that is not theirs; its owner asks for a code, fails at the
/// puzzle, finds the code of the sign-up in the inbox and enters that.
// rows: CA1 G12
#[tokio::test]
async fn who_fails_at_the_puzzle_disputes_the_account_like_any_other_who_is_refused() {
    let fake = Fake::start(judge).await;
    for (puzzle, status) in [("solved", 429), ("junk", 400)] {
        for path in ["/otp", "/magiclink", "/recover"] {
            let mut config = banyan_testkit::config_with(
                "[auth.email]\nenable_confirmations = true\nmax_frequency = \"60s\"\n",
            );
            config.auth.captcha = Some(Captcha {
                provider: CaptchaProvider::Turnstile,
                secret: SecretString::from("our secret"),
                url: format!("{}/siteverify", fake.url),
            });
            let stage = Stage::of(config).await;
            let mut up = body("solved");
            up["password"] = json!("long enough");
            assert_eq!(stage.post("/signup", &up).await.status, 200);
            assert_eq!(stage.post(path, body(puzzle)).await.status, status, "{path}");
            let session = stage.verify(ASHA, &stage.code(ASHA).await).await;
            assert_eq!(session.status, 200, "{}", session.json());
            let with_password = stage.post("/token?grant_type=password", &up).await;
            assert_eq!(with_password.error(), (400, "invalid_credentials"), "{path} {puzzle}");
        }
    }
}

/// The button is pressed twice, and the puzzle counts once.
// rows: CA1 M18
#[tokio::test]
async fn a_sign_up_that_is_repeated_with_a_used_puzzle_keeps_its_password() {
    let fake = Fake::start(judge).await;
    let mut config = banyan_testkit::config_with("[auth.email]\nenable_confirmations = true\n");
    config.auth.captcha = Some(Captcha {
        provider: CaptchaProvider::Turnstile,
        secret: SecretString::from("our secret"),
        url: format!("{}/siteverify", fake.url),
    });
    let stage = Stage::of(config).await;
    let with_puzzle = |puzzle: &str| {
        let mut up = body(puzzle);
        up["password"] = json!("long enough");
        up["data"] = json!({"name": "Asha"});
        up
    };
    assert_eq!(stage.post("/signup", with_puzzle("solved")).await.status, 200);
    let again = stage.post("/signup", with_puzzle("junk")).await;
    assert_eq!(again.error(), (400, "captcha_failed"));
    let session = stage.verify(ASHA, &stage.code(ASHA).await).await;
    assert_eq!(session["user"]["user_metadata"]["name"], "Asha", "{}", session.json());
    let by_password = stage.post("/token?grant_type=password", with_puzzle("solved")).await;
    assert_eq!(by_password.status, 200, "{}", by_password.json());
}

/// The provider takes its time, and what is noted afterwards is not to be seen behind it.
// rows: CA1 C12
#[tokio::test]
async fn a_refused_puzzle_is_answered_a_fixed_time_after_its_provider() {
    let slow = Duration::from_millis(400);
    let fake = Fake::start(move |asked, times| judge(asked, times).after(slow)).await;
    let stage = stage(CaptchaProvider::Turnstile, &fake).await;
    let after = async |path: &str| {
        let began = Instant::now();
        let refused = stage.post(path, body("junk")).await;
        assert_eq!(refused.error(), (400, "captcha_failed"), "{path}");
        began.elapsed()
    };
    let asked_for_a_code = after("/recover").await;
    assert!(asked_for_a_code >= slow + Duration::from_millis(300), "{asked_for_a_code:?}");
    let not = after("/resend").await;
    assert!(not < slow + Duration::from_millis(300), "nothing is noted of it: {not:?}");
}

// rows: CA2
#[tokio::test]
async fn the_holder_of_a_service_key_solves_no_puzzles() {
    let fake = Fake::start(judge).await;
    let stage = stage(CaptchaProvider::Hcaptcha, &fake).await;
    let key = stage.service_key();
    let sent = stage.post("/otp", json!({"email": ASHA})).header("apikey", &key).bearer(&key).await;
    assert_eq!(sent.status, 200, "{}", sent.json());
    let anon = stage.anon_key().to_owned();
    let refused = stage.post("/otp", json!({"email": ASHA})).header("apikey", &anon).bearer(&anon).await;
    assert_eq!(refused.error(), (400, "captcha_failed"));
}

// rows: CA1
#[tokio::test]
async fn a_provider_that_does_not_answer_lets_nobody_pass() {
    let mut config = banyan_testkit::config();
    config.auth.captcha = Some(Captcha {
        provider: CaptchaProvider::Hcaptcha,
        secret: SecretString::from("s"),
        url: "http://127.0.0.1:1/".into(),
    });
    let stage = Stage::of(config).await;
    let refused = stage.post("/otp", body("solved")).await;
    assert_eq!(refused.error(), (500, "unexpected_failure"));
    assert!(stage.mails(ASHA).await.is_empty());
}

// rows: CA1 Q2
#[tokio::test]
async fn junk_is_not_taken_to_the_provider_without_end() {
    let fake = Fake::start(judge).await;
    let mut config = banyan_testkit::config_with("[auth.rate_limit]\nsign_in_sign_ups = 2\n");
    config.auth.captcha = Some(Captcha {
        provider: CaptchaProvider::Turnstile,
        secret: SecretString::from("s"),
        url: fake.url.clone(),
    });
    let stage = Stage::of(config).await;
    let mut refused = 0;
    for _ in 0..20 {
        let answer = stage.post("/otp", body("junk")).await;
        refused += usize::from(answer.error() == (429, "over_request_rate_limit"));
    }
    assert_eq!((fake.asked().len(), refused), (8, 12));
    let elsewhere = stage.post("/otp", body("solved")).from([198, 51, 100, 1]).await;
    assert_eq!(elsewhere.status, 200, "{}", elsewhere.json());
}
