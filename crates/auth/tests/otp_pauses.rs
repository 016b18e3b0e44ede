//! The shortest time between two codes is one of the address, whoever asks (CONTRACT.md M7).

use serde_json::{Value, json};

use crate::{
    fake_server::{Fake, Said},
    support::{ASHA, RAVI, Stage},
};

const PAUSE: &str = "[auth.email]\nenable_confirmations = true\nmax_frequency = \"30s\"\n[auth.rate_limit]\n\
                     sign_in_sign_ups = 1000\nemail_sent = 1000\n";
const NOBODY: &str = "nobody@example.com";

/// The answers to the same question of forty networks at once.
async fn from_forty(stage: &Stage, path: &'static str, body: &Value) -> Vec<u16> {
    let ask = |number: u8| {
        let (stage, body) = (stage.clone(), body.clone());
        tokio::spawn(async move { stage.post(path, &body).from([198, 51, 100, number]).await.status })
    };
    let asked: Vec<_> = (1..=40).map(ask).collect();
    let mut statuses = Vec::new();
    for one in asked {
        statuses.push(one.await.unwrap());
    }
    statuses.sort_unstable();
    statuses
}

fn one_of_forty() -> Vec<u16> {
    [vec![200], vec![429; 39]].concat()
}

// rows: M7
#[tokio::test]
async fn forty_networks_get_one_code_to_an_address_in_a_pause() {
    let stage = Stage::with(PAUSE).await;
    stage.sign_in(ASHA).await;
    stage.execute("delete from mail.messages").await;
    for round in 1..=2 {
        stage.wait(31);
        for email in [ASHA, NOBODY] {
            let statuses = from_forty(&stage, "/otp", &json!({"email": email})).await;
            assert_eq!(statuses, one_of_forty(), "{email} {round}");
            assert_eq!(stage.mails(email).await.len(), round, "{email}");
        }
    }
}

// rows: M7
#[tokio::test]
async fn forty_networks_get_one_code_to_a_number_in_a_pause() {
    let fake = Fake::start(|_, _| Said::json(200, &json!({}))).await;
    let toml = format!(
        "[auth.rate_limit]\nsms_sent = 1000\n[auth.sms]\nenable_signup = true\nenable_confirmations = true\n\
         max_frequency = \"30s\"\n[auth.hook.send_sms]\nenabled = true\nuri = \"{}\"\n\
         secrets = \"v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\"\n",
        fake.url
    );
    let stage = Stage::with(&toml).await;
    let statuses = from_forty(&stage, "/otp", &json!({"phone": "+919800000001"})).await;
    assert_eq!((statuses, fake.asked().len()), (one_of_forty(), 1));
}

// rows: M7
#[tokio::test]
async fn who_is_refused_waits_for_the_rest_of_the_pause_and_no_longer() {
    let stage = Stage::with(PAUSE).await;
    let ask =
        async |number: u8| stage.post("/otp", json!({"email": ASHA})).from([198, 51, 100, number]).await;
    assert_eq!(ask(1).await.status, 200);
    for left in ["30", "20", "10"] {
        let refused = ask(2).await;
        assert_eq!(refused.error(), (429, "over_email_send_rate_limit"));
        assert_eq!(refused.header("retry-after").unwrap_or_default(), left);
        stage.wait(10);
    }
    assert_eq!(ask(2).await.status, 200, "what was refused began no pause");
}

// rows: M7
#[tokio::test]
async fn networks_that_are_known_get_one_code_to_an_address_in_a_pause() {
    let stage = Stage::with(PAUSE).await;
    let ask =
        async |number: u8| stage.post("/otp", json!({"email": ASHA})).from([198, 51, 100, number]).await;
    for number in 1..=3 {
        assert_eq!(ask(number).await.status, 200);
        let body = json!({"type": "email", "email": ASHA, "token": stage.code(ASHA).await});
        let entered = stage.post("/verify", &body).from([198, 51, 100, number]).await;
        assert_eq!(entered.status, 200, "{}", entered.json());
        stage.wait(31);
    }
    stage.execute("delete from mail.messages").await;
    for round in 1..=2 {
        let statuses = from_forty(&stage, "/otp", &json!({"email": ASHA})).await;
        assert_eq!((statuses, stage.mails(ASHA).await.len()), (one_of_forty(), round));
        stage.wait(31);
    }
    assert_eq!(ask(1).await.status, 200);
    let refused = ask(2).await;
    assert_eq!((refused.status, refused.header("retry-after").unwrap_or_default()), (429, "30"));
}

/// So the owner loses nothing by the pause that a stranger began.
// rows: M7
#[tokio::test]
async fn the_code_that_a_stranger_had_sent_is_of_use_to_the_owner_at_once() {
    let stage = Stage::with(PAUSE).await;
    stage.sign_in(ASHA).await;
    for path in ["/otp", "/recover"] {
        stage.wait(31);
        let stranger = stage.post(path, json!({"email": ASHA})).from([198, 51, 100, 1]);
        assert_eq!(stranger.await.status, 200, "{path}");
        assert_eq!(stage.ask(ASHA).await.error(), (429, "over_email_send_rate_limit"));
        let entered = stage.verify(ASHA, &stage.code(ASHA).await).await;
        assert_eq!(entered.status, 200, "{path}: {}", entered.json());
    }
}

// rows: M7
#[tokio::test]
async fn many_accounts_have_one_code_sent_to_an_address_that_they_want() {
    let stage = Stage::with(PAUSE).await;
    for (email, status) in [(ASHA, 200), (RAVI, 429)] {
        let session = stage.sign_in(email).await;
        let wanted = stage.put("/user", json!({"email": NOBODY})).bearer(session.field("access_token"));
        assert_eq!(wanted.from([198, 51, 100, 1]).await.status, status, "{email}");
    }
}
