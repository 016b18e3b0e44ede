use banyan_testkit::Answer;
use serde_json::json;

use crate::support::{ASHA, Stage};

async fn until_refused(mut ask: impl AsyncFnMut(usize) -> Answer) -> (usize, Answer) {
    for round in 0..200 {
        let answer = ask(round).await;
        if answer.status == 429 {
            return (round, answer);
        }
    }
    panic!("never refused");
}

// rows: Q2 Q3 Q12
#[tokio::test]
async fn each_route_has_its_bucket_and_says_when_to_come_back() {
    let stage = Stage::with("[auth.rate_limit]\nsign_in_sign_ups = 3\n").await;
    for (route, path) in ["/otp", "/recover", "/resend", "/magiclink", "/signup"].into_iter().enumerate() {
        let (granted, refused) = until_refused(async |round| {
            let body = json!({"type": "signup", "email": format!("u{round}.{route}@example.com"), "password": "long enough"});
            stage.post(path, &body).await
        })
        .await;
        assert_eq!(granted, 3, "{path}: a limit below the burst holds at once");
        assert_eq!(refused.error(), (429, "over_request_rate_limit"), "{path}");
        assert_eq!(refused.field("msg"), "Request rate limit reached");
        assert_eq!(refused.header("retry-after"), Some("100"));
        assert_eq!(refused.header("ratelimit-limit"), Some("3"));
        assert_eq!(
            (
                refused.header("ratelimit-remaining").unwrap_or_default(),
                refused.header("ratelimit-reset").unwrap_or_default()
            ),
            ("0", "100")
        );
    }
    let elsewhere = stage.post("/otp", json!({"email": ASHA})).from([198, 51, 100, 1]).await;
    assert_eq!(elsewhere.status, 200, "another client has its own");
    stage.wait(101);
    assert_eq!(stage.ask("later@example.com").await.status, 200);
}

// rows: Q3
#[tokio::test]
async fn put_user_is_limited_apart() {
    let stage = Stage::with("[auth.rate_limit]\nsign_in_sign_ups = 2\n").await;
    let session = stage.sign_in(ASHA).await;
    let (granted, _) = until_refused(async |round| {
        stage.put("/user", json!({"data": {"n": round}})).bearer(session.field("access_token")).await
    })
    .await;
    assert_eq!(granted, 2);
}

// rows: Q4
#[tokio::test]
async fn codes_and_links_share_the_limit_of_verifications() {
    let stage = Stage::with("[auth.rate_limit]\ntoken_verifications = 4\n").await;
    let (granted, _) = until_refused(async |round| {
        if round % 2 == 0 {
            stage.verify(&format!("u{round}@example.com"), "000000").await
        } else {
            stage.get("/verify?type=signup&token=nothing").await
        }
    })
    .await;
    assert_eq!(granted, 4);
}

// rows: Q5
#[tokio::test]
async fn all_grants_share_the_limit_of_tokens() {
    let stage = Stage::with("[auth.rate_limit]\ntoken_refresh = 5\n").await;
    let (granted, _) = until_refused(async |round| {
        let grant = ["refresh_token", "pkce", "password"][round % 3];
        stage.post(&format!("/token?grant_type={grant}"), json!({})).await
    })
    .await;
    assert_eq!(granted, 5);
}

// rows: Q6 C4
#[tokio::test]
async fn the_projects_mails_are_limited_with_the_time_to_wait() {
    let mut config = banyan_testkit::config_with("[auth.email]\nenable_confirmations = true\n");
    config.auth.rate_limits.email_sent = 2;
    let stage = Stage::of(config).await;
    let (granted, refused) =
        until_refused(async |round| stage.ask(&format!("u{round}@example.com")).await).await;
    assert_eq!(granted, 2);
    assert_eq!(refused.error(), (429, "over_email_send_rate_limit"));
    assert_eq!(refused.header("retry-after"), Some("1800"), "two an hour");
}

// rows: Q7
#[tokio::test]
async fn anonymous_users_and_passkeys_have_limits_of_their_own() {
    let toml = "[auth]\nenable_anonymous_sign_ins = true\n[auth.rate_limit]\nanonymous_users = 3\n[auth.passkey]\n\
                enabled = true\n[auth.webauthn]\nrp_id = \"localhost\"\nrp_origins = [\"http://localhost:3000\"]\n";
    let stage = Stage::with(toml).await;
    let (granted, refused) = until_refused(async |_| stage.post("/signup", json!({})).await).await;
    assert_eq!((granted, refused.header("retry-after").unwrap_or_default()), (3, "1200"), "three an hour");
    let options = "/passkeys/authentication/options";
    let (granted, _) = until_refused(async |_| stage.post(options, json!({})).await).await;
    assert_eq!(granted, 30);
}

// rows: Q7
#[tokio::test]
async fn text_messages_are_limited_for_the_whole_project() {
    let fake = crate::fake_server::Fake::start(|_, _| crate::fake_server::Said::json(200, &json!({}))).await;
    let toml = format!(
        "[auth.rate_limit]\nsms_sent = 2\n[auth.sms]\nenable_signup = true\nenable_confirmations = true\n\
         [auth.hook.send_sms]\nenabled = true\nuri = \"{}\"\nsecrets = \"v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\"\n",
        fake.url
    );
    let stage = Stage::with(&toml).await;
    let (granted, refused) = until_refused(async |round| {
        stage.post("/otp", json!({"phone": format!("+9198000000{round:02}")})).await
    })
    .await;
    assert_eq!((granted, refused.error()), (2, (429, "over_sms_send_rate_limit")));
    assert_eq!(fake.asked().len(), 2);
}

// rows: Q1
#[tokio::test]
async fn behind_a_trusted_proxy_clients_are_told_apart_by_its_header() {
    let mut config = banyan_testkit::config_with("[auth.rate_limit]\nsign_in_sign_ups = 1\n");
    config.auth.client_address.header = Some("x-forwarded-for".into());
    config.auth.client_address.trusted_proxies = vec![banyan_config::Network::parse("192.0.2.0/24").unwrap()];
    let stage = Stage::of(config).await;
    let ask = |forwarded: &'static str, peer: [u8; 4]| {
        let stage = stage.clone();
        async move {
            let call = stage.post("/otp", json!({"email": ASHA})).header("x-forwarded-for", forwarded);
            stage.wait(2);
            call.from(peer).await.status
        }
    };
    assert_eq!(ask("203.0.113.1", [192, 0, 2, 1]).await, 200);
    assert_eq!(ask("203.0.113.1", [192, 0, 2, 1]).await, 429);
    assert_eq!(ask("203.0.113.2", [192, 0, 2, 1]).await, 200, "another client of the proxy");
    assert_eq!(ask("203.0.113.3", [198, 51, 100, 1]).await, 200);
    assert_eq!(ask("203.0.113.4", [198, 51, 100, 1]).await, 429, "a header that anybody can write");
}

// rows: Q1
#[tokio::test]
async fn what_a_client_writes_before_its_proxys_word_makes_no_other_of_it() {
    let mut config = banyan_testkit::config_with("[auth.rate_limit]\nsign_in_sign_ups = 1\n");
    config.auth.client_address.header = Some("x-forwarded-for".into());
    config.auth.client_address.trusted_proxies = vec![banyan_config::Network::parse("192.0.2.0/24").unwrap()];
    let stage = Stage::of(config).await;
    for (made_up, status) in [("10.9.9.1", 200), ("10.9.9.2", 429), ("192.0.2.77", 429)] {
        stage.wait(2);
        let forwarded = format!("{made_up}, 203.0.113.1");
        let call = stage.post("/otp", json!({"email": ASHA})).header("x-forwarded-for", &forwarded);
        assert_eq!(call.await.status, status, "{made_up}");
    }
}

// rows: Q1
#[tokio::test]
async fn each_function_is_counted_as_one_and_not_as_this_machine() {
    let mut config = banyan_testkit::config_with("[auth.rate_limit]\nsign_in_sign_ups = 1\n");
    config.auth.client_address.header = Some("x-forwarded-for".into());
    let stage = Stage::of(config).await;
    let ask = async |function: &str, forwarded: &str| {
        stage.wait(2);
        let call = stage.post("/otp", json!({"email": ASHA})).header("x-forwarded-for", forwarded);
        call.by_function(function).await.status
    };
    assert_eq!(ask("one", "203.0.113.1").await, 200);
    assert_eq!(ask("one", "203.0.113.2").await, 429, "what a function says of an address counts for nothing");
    assert_eq!(ask("two", "203.0.113.1").await, 200, "another function is another client");
}

// rows: Q1
#[tokio::test]
async fn a_server_with_the_service_key_says_for_whom_it_asks() {
    let stage = Stage::with("[auth.rate_limit]\nsign_in_sign_ups = 1\n").await;
    let (secret, public) = (stage.service_key(), stage.anon_key().to_owned());
    for (key, user, status) in [
        (&secret, "203.0.113.1", 200),
        (&secret, "203.0.113.1, 203.0.113.9", 429),
        (&secret, "203.0.113.2", 200),
        (&public, "203.0.113.3", 200),
        (&public, "203.0.113.4", 429),
    ] {
        stage.wait(2);
        let call = stage.post("/otp", json!({"email": ASHA})).header("sb-forwarded-for", user);
        let answer = call.header("apikey", key).bearer(key).await;
        assert_eq!(answer.status, status, "{user}: {}", answer.json());
    }
}
