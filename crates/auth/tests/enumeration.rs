//! Nobody learns who has an account by asking for mails.

use std::time::{Duration, Instant};

use banyan_config::Config;
use banyan_testkit::Answer;
use serde_json::{Value, json};

use crate::{
    fake_server::{Fake, Said},
    support::{ASHA, RAVI, Stage},
};

const NOBODY: &str = "nobody@example.com";
const SECRET: &str = "v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

fn config(toml: &str) -> Config {
    let mut config = banyan_testkit::config_with(&format!(
        "[auth.email]\nenable_confirmations = true\nmax_frequency = \"60s\"\n[auth.rate_limit]\nsign_in_sign_ups = 1000\n{toml}"
    ));
    config.auth.hide_unknown_users = true;
    config
}

/// An account with a confirmed address, one without, and none.
async fn people(stage: &Stage) -> [&'static str; 3] {
    let key = stage.service_key();
    for (email, confirmed) in [(ASHA, true), (RAVI, false)] {
        let body = json!({"email": email, "email_confirm": confirmed});
        let made = stage.post("/admin/users", &body).header("apikey", &key).bearer(&key).await;
        assert_eq!(made.status, 200, "{}", made.json());
    }
    [ASHA, RAVI, NOBODY]
}

/// All that a client sees of an answer; of a cookie what does not depend on the address by its key.
fn seen(answer: &Answer) -> (u16, Value, Vec<(String, String)>) {
    let shown = |(name, value): (&http::HeaderName, &http::HeaderValue)| {
        let value = value.to_str().unwrap();
        let value = match value.split_once("; ") {
            Some((cookie, terms)) if name == "set-cookie" => format!("{} bytes; {terms}", cookie.len()),
            _ => value.to_owned(),
        };
        (name.to_string(), value)
    };
    (answer.status, answer.json().clone(), answer.headers.iter().map(shown).collect())
}

const QUIET: [(&str, &str); 4] = [
    ("/recover", r#"{"email": "@"}"#),
    ("/resend", r#"{"email": "@", "type": "signup"}"#),
    ("/otp", r#"{"email": "@", "create_user": false}"#),
    ("/magiclink", r#"{"email": "@", "create_user": false}"#),
];

// rows: C12 M16 M7
#[tokio::test]
async fn the_second_request_tells_no_more_than_the_first() {
    for (path, body) in QUIET {
        let stage = Stage::of(config("")).await;
        let people = people(&stage).await;
        for (round, status) in [200, 429, 429].into_iter().enumerate() {
            let mut answers = Vec::new();
            for email in people {
                answers.push(seen(&stage.post(path, json!({})).bytes(body.replace('@', email)).await));
            }
            assert_eq!(answers[0].0, status, "{path} {round}: {:?}", answers[0]);
            assert!(answers.iter().all(|answer| *answer == answers[0]), "{path} {round}: {answers:#?}");
        }
        stage.wait(61);
        let again = stage.post(path, json!({})).bytes(body.replace('@', NOBODY)).await;
        assert_eq!(again.status, 200, "{path}: {}", again.json());
    }
}

/// What is noted of a refusal takes longer at an account that is not confirmed than where there is
/// none.
// rows: C12 M16 M7
#[tokio::test]
async fn a_refusal_comes_after_the_time_of_an_answer() {
    let stage = Stage::of(config("")).await;
    for (path, body) in QUIET.into_iter().filter(|(path, _)| *path != "/resend") {
        let body = body.replace('@', &format!("{}@example.com", path.trim_start_matches('/')));
        assert_eq!(stage.post(path, json!({})).bytes(body.clone()).await.status, 200, "{path}");
        let began = Instant::now();
        let refused = stage.post(path, json!({})).bytes(body).await;
        assert_eq!(refused.error(), (429, "over_email_send_rate_limit"), "{path}");
        assert!(began.elapsed() >= Duration::from_millis(300), "{path}: {:?}", began.elapsed());
    }
}

/// Who is beyond the limit of a route is noted at the account, too, and has that to look at for
/// nothing.
// rows: C12 Q1
#[tokio::test]
async fn a_refusal_by_the_limit_of_a_route_comes_after_the_time_of_an_answer() {
    let mut config = config("");
    config.auth.rate_limits.sign_in_sign_ups = 1;
    let stage = Stage::of(config).await;
    let noted = QUIET.into_iter().filter(|(path, _)| *path != "/resend");
    for (path, body) in noted.chain([("/signup", r#"{"email": "@", "password": "long enough"}"#)]) {
        let body = body.replace('@', NOBODY);
        stage.post(path, json!({})).bytes(body.clone()).await;
        let began = Instant::now();
        let refused = stage.post(path, json!({})).bytes(body).await;
        assert_eq!(refused.error(), (429, "over_request_rate_limit"), "{path}");
        assert!(began.elapsed() >= Duration::from_millis(300), "{path}: {:?}", began.elapsed());
    }
}

// rows: C12 M17
#[tokio::test]
async fn a_repeated_sign_up_is_told_to_wait_whoever_has_the_address() {
    let stage = Stage::of(config("")).await;
    let people = people(&stage).await;
    for status in [200, 429, 429] {
        for email in people {
            let body = json!({"email": email, "password": "long enough"});
            let answer = stage.post("/signup", &body).await;
            assert_eq!(answer.status, status, "{email}: {}", answer.json());
            if status == 429 {
                assert_eq!(answer.error(), (429, "over_email_send_rate_limit"));
                assert_eq!(answer.header("retry-after"), Some("60"));
            }
        }
    }
}

// rows: C12 M7
#[tokio::test]
async fn routes_and_networks_share_the_pause_of_an_address() {
    let stage = Stage::of(config("")).await;
    for email in people(&stage).await {
        for (round, (path, body)) in QUIET.into_iter().enumerate() {
            let answer = stage.post(path, json!({})).bytes(body.replace('@', email)).await;
            assert_eq!(
                answer.status,
                if round == 0 { 200 } else { 429 },
                "{email} {path}: {}",
                answer.json()
            );
            let elsewhere = stage.post(path, json!({})).bytes(body.replace('@', email));
            let elsewhere = elsewhere.from([198, 51, 100, u8::try_from(round).unwrap()]).await;
            assert_eq!(elsewhere.error(), (429, "over_email_send_rate_limit"), "{email} {path}");
        }
    }
}

// rows: C12
#[tokio::test]
async fn closed_sign_ups_are_not_said_to_unknown_addresses_alone() {
    let stage = Stage::of(config("[auth]\nenable_signup = false\n")).await;
    let people = people(&stage).await;
    for status in [200, 429] {
        let mut answers = Vec::new();
        for email in people {
            answers.push(seen(&stage.ask(email).await));
        }
        assert_eq!(answers[0].0, status);
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:#?}");
    }
}

// rows: M8
#[tokio::test]
async fn only_mails_that_go_out_are_counted_and_all_are_told_when_none_is_left() {
    let mut config = config("");
    config.auth.rate_limits.email_sent = 3;
    let stage = Stage::of(config).await;
    let people = people(&stage).await;
    let recover = async |email: &str| stage.post("/recover", json!({"email": email})).await;
    for number in 0..5 {
        let nobody = format!("u{number}@example.com");
        assert_eq!(recover(&nobody).await.status, 200);
        let body = json!({"email": nobody, "create_user": false});
        stage.post("/otp", &body).from([198, 51, 100, 1]).await;
    }
    for round in 0..2 {
        let body = json!({"email": "new@example.com", "password": "long enough"});
        let signed_up = stage.post("/signup", &body).await;
        assert_eq!(signed_up.status, 200, "{round}: {}", signed_up.json());
        stage.wait(61);
    }
    assert_eq!(recover(ASHA).await.status, 200);
    let sent = (stage.mails("new@example.com").await.len(), stage.mails(ASHA).await.len());
    assert_eq!(sent, (2, 1), "a repeated sign-up costs one too");
    stage.wait(61);
    for email in people {
        let refused = recover(email).await;
        assert_eq!(refused.error(), (429, "over_email_send_rate_limit"), "{email}");
        assert_eq!(refused.field("msg"), "email rate limit exceeded");
    }
}

/// An account with a change pending is asked for in the pause of that change, twice, and once its
/// new address is spent.
// rows: C12 M15
#[tokio::test]
async fn a_change_that_is_pending_is_told_by_no_answer() {
    let stage = Stage::of(config("")).await;
    let people = people(&stage).await;
    let session = stage.sign_in(ASHA).await;
    let put = stage.put("/user", json!({"email": "new@example.com"}));
    assert_eq!(put.bearer(session.field("access_token")).await.status, 200);
    let stranger = [198, 51, 100, 1];
    for kind in ["email_change", "phone_change"] {
        for email in people.iter().chain(people.iter()) {
            let body = json!({"type": kind, "email": email});
            let answer = stage.post("/resend", &body).from(stranger).await;
            assert_eq!(answer.status, 200, "{email}: {}", answer.json());
        }
    }
    for _ in 0..10 {
        stage.wait(61);
        let body = json!({"type": "signup", "email": "new@example.com"});
        assert_eq!(stage.post("/resend", &body).from(stranger).await.status, 200);
    }
    stage.wait(61);
    for email in people {
        let body = json!({"type": "email_change", "email": email});
        let answer = stage.post("/resend", &body).from(stranger).await;
        assert_eq!(answer.status, 200, "{email}: {}", answer.json());
    }
}

// rows: M12 M7
#[tokio::test]
async fn who_is_told_that_there_is_no_account_may_make_one_at_once() {
    let stage = Stage::with("[auth.email]\nmax_frequency = \"60s\"\n").await;
    for _ in 0..12 {
        let refused = stage.post("/otp", json!({"email": NOBODY, "create_user": false})).await;
        assert_eq!(refused.error(), (422, "otp_disabled"));
    }
    assert_eq!(stage.ask(NOBODY).await.status, 200);
    let soon = stage.post("/otp", json!({"email": NOBODY, "create_user": false})).await;
    assert_eq!(soon.error(), (429, "over_email_send_rate_limit"));
}

// rows: M12 M7
#[tokio::test]
async fn nobody_closes_an_address_that_has_no_account_yet() {
    let stage = Stage::with(
        "[auth.email]\nenable_confirmations = true\n[auth.rate_limit]\nsign_in_sign_ups = 1000\nemail_sent = 100\n",
    )
    .await;
    let attacker = [198, 51, 100, 1];
    for _ in 0..120 {
        let body = json!({"email": NOBODY, "create_user": false});
        let refused = stage.post("/otp", &body).from(attacker).await;
        assert_eq!(refused.error(), (422, "otp_disabled"));
    }
    assert_eq!(stage.ask(NOBODY).await.status, 200);
}

// rows: M8
#[tokio::test]
async fn one_network_may_use_up_a_tenth_of_the_projects_mails() {
    let mut config = config("");
    config.auth.rate_limits.email_sent = 200;
    let stage = Stage::of(config).await;
    let ask = async |number: u32, ip: [u8; 4]| {
        let body = json!({"email": format!("u{number}@example.com")});
        stage.post("/otp", &body).from(ip).await
    };
    for number in 0..20 {
        assert_eq!(ask(number, [198, 51, 100, 1]).await.status, 200, "{number}");
    }
    let refused = ask(20, [198, 51, 100, 1]).await;
    assert_eq!(refused.error(), (429, "over_email_send_rate_limit"));
    assert_eq!(refused.header("retry-after"), Some("180"));
    assert_eq!(ask(21, [198, 51, 100, 2]).await.status, 200, "others have theirs");
}

/// Too soon, and spent: what sends nothing takes nothing from the neighbours.
// rows: M8
#[tokio::test]
async fn what_is_refused_takes_no_mail_of_the_networks() {
    let mut config = config("");
    config.auth.rate_limits.email_sent = 200;
    let stage = Stage::of(config).await;
    let school = [198, 51, 100, 1];
    for number in 0..60 {
        let asked = stage.post("/otp", json!({"email": NOBODY})).from(school).await;
        assert_eq!(asked.status, if number == 0 { 200 } else { 429 }, "{number}");
    }
    for number in 0..19 {
        let body = json!({"email": format!("u{number}@example.com")});
        assert_eq!(stage.post("/otp", &body).from(school).await.status, 200, "{number}");
    }
}

/// Who is signed in sends mails of the project too.
// rows: M8 U11
#[tokio::test]
async fn codes_that_a_signed_in_user_asks_for_take_of_their_networks_mails() {
    let mut config = config("");
    config.auth.rate_limits.email_sent = 40;
    config.auth.otp.max_frequency = Duration::ZERO;
    let stage = Stage::of(config).await;
    let attacker = [198, 51, 100, 1];
    let mut sessions = Vec::new();
    for number in 0..3 {
        let email = format!("u{number}@example.com");
        assert_eq!(stage.ask(&email).await.status, 200);
        let session = stage.verify(&email, &stage.code(&email).await).await;
        sessions.push(session.field("access_token").to_owned());
    }
    let mut sent = 0;
    for token in &sessions {
        for _ in 0..8 {
            let asked = stage.get("/reauthenticate").bearer(token).from(attacker).await;
            sent += usize::from(asked.status == 200);
        }
    }
    assert_eq!(sent, 10, "a network has ten of forty");
    let other = stage.post("/otp", json!({"email": NOBODY})).from([198, 51, 100, 2]).await;
    assert_eq!(other.status, 200, "{}", other.json());
}

// rows: M20
#[tokio::test]
async fn a_refused_domain_is_refused_whoever_has_the_address() {
    let mut config = config("");
    config.auth.refused_domains = vec!["example.com".into()];
    let stage = Stage::of(config).await;
    let people = people(&stage).await;
    for (path, body) in QUIET {
        for email in people {
            let refused = stage.post(path, json!({})).bytes(body.replace('@', email)).await;
            assert_eq!(refused.error(), (400, "email_address_invalid"), "{path} {email}");
        }
    }
}

// rows: M9
#[tokio::test]
async fn a_new_code_is_not_to_be_had_for_phones_at_will_either() {
    let toml = "[auth.sms]\nenable_signup = true\nmax_frequency = \"30s\"\n[auth.sms.test_otp]\n919800000001 = \"123456\"\n";
    let stage = Stage::of(config(toml)).await;
    for (round, status) in [200, 429].into_iter().enumerate() {
        for phone in ["919800000001", "919800000002"] {
            let body = json!({"type": "sms", "phone": phone});
            let answer = stage.post("/resend", &body).await;
            assert_eq!(answer.status, status, "{round} {phone}: {}", answer.json());
        }
    }
}

fn hook(point: &str, uri: &str) -> String {
    format!("[auth.hook.{point}]\nenabled = true\nuri = \"{uri}\"\nsecrets = \"{SECRET}\"\n")
}

/// The status of an answer that waits for no hook, whatever the hook does.
async fn at_once(answer: impl Future<Output = Answer>) -> u16 {
    // Less than a hook is waited for, and much more than any answer takes.
    let answer = tokio::time::timeout(Duration::from_secs(4), answer).await;
    answer.expect("the answer waits for the hook").status
}

// rows: V14 HK8
#[tokio::test]
async fn a_slow_mail_hook_does_not_tell_who_has_an_account() {
    let fake = Fake::start(|_, _| Said::json(200, &json!({})).held()).await;
    let stage = Stage::of(config(&hook("send_email", &fake.url))).await;
    let people = people(&stage).await;
    for (path, body) in QUIET {
        stage.wait(61);
        for email in people {
            let body = serde_json::from_str(&body.replace('@', email)).unwrap();
            assert_eq!(at_once(stage.post(path, &body).into_future()).await, 200, "{path} {email}");
        }
    }
    // Each of two accounts and four routes, and a sign-up is not confirmed twice.
    fake.was_asked(7, |_| true).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(fake.asked().len(), 7);
}

// rows: HK5
#[tokio::test]
async fn a_mail_hook_that_refuses_does_not_tell_who_has_an_account() {
    let no = json!({"error": {"http_code": 403, "message": "no mails today"}});
    let fake = Fake::start(move |_, _| Said::json(200, &no)).await;
    let stage = Stage::of(config(&hook("send_email", &fake.url))).await;
    for email in people(&stage).await {
        let answer = stage.post("/recover", json!({"email": email})).await;
        assert_eq!((answer.status, answer.json()), (200, json!({})), "{email}");
    }
    assert_eq!(stage.number("select count(*) from auth.one_time_tokens").await, 0, "nothing is kept of it");
}

/// All wait for the hook that judges accounts, and nobody for the one that sends mails.
// rows: V14 HK10
#[tokio::test]
async fn slow_hooks_do_not_tell_at_a_sign_up_who_has_an_account() {
    let judge = Fake::start(|_, _| Said::json(200, &json!({})).held()).await;
    let mails = Fake::start(|_, _| Said::json(200, &json!({})).held()).await;
    let toml = format!("{}{}", hook("send_email", &mails.url), hook("before_user_created", &judge.url));
    let stage = Stage::of(config(&toml)).await;
    let people = people(&stage).await;
    let running: Vec<_> = people
        .into_iter()
        .map(|email| {
            let stage = stage.clone();
            tokio::spawn(async move {
                let body = json!({"email": email, "password": "long enough"});
                stage.post("/signup", &body).await
            })
        })
        .collect();
    for email in people {
        judge.was_asked(1, |asked| asked.json()["user"]["email"] == email).await;
    }
    assert!(!running.iter().any(tokio::task::JoinHandle::is_finished), "each waits for its judge");
    judge.open();
    for one in running {
        assert_eq!(at_once(async { one.await.unwrap() }).await, 200);
    }
    mails.was_asked(2, |_| true).await;
    assert!(mails.asked().iter().all(|asked| asked.json()["user"]["email"] != ASHA));
}

// rows: V14 PW9
#[tokio::test]
async fn a_slow_password_hook_does_not_tell_who_has_an_account() {
    let slow = Duration::from_millis(2000);
    let said = json!({"decision": "continue"});
    let fake = Fake::start(move |_, _| Said::json(200, &said).after(slow)).await;
    let stage = Stage::with(&hook("password_verification_attempt", &fake.url)).await;
    stage.post("/signup", json!({"email": ASHA, "password": "long enough"})).await;
    let try_with = async |email: &str| {
        let body = json!({"email": email, "password": "wrong one"});
        let began = Instant::now();
        assert_eq!(stage.post("/token?grant_type=password", &body).await.status, 400);
        began.elapsed()
    };
    try_with(ASHA).await;
    let (known, unknown) = (try_with(ASHA).await, try_with(NOBODY).await);
    assert!(known.abs_diff(unknown) < slow / 2, "{known:?} and {unknown:?}");
}
