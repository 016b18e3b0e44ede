use serde_json::json;

use crate::{
    factors,
    fake_server::{Fake, Said},
    support::{ASHA, RAVI, Stage, wrong},
};

async fn stage() -> (Stage, Fake) {
    let fake = Fake::start(|_, _| Said::json(200, &json!({}))).await;
    let toml = format!(
        "[auth.mfa.phone]\nenroll_enabled = true\nverify_enabled = true\nmax_frequency = \"10s\"\n\
         [auth.hook.send_sms]\nenabled = true\nuri = \"{}\"\nsecrets = \"v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\"\n",
        fake.url
    );
    (Stage::with(&toml).await, fake)
}

const NUMBER: &str = "+919800000001";

// rows: F7 H30 H31 H32
#[tokio::test]
async fn a_phone_is_a_second_factor_by_a_code_that_is_not_kept() {
    let (stage, fake) = stage().await;
    let session = stage.sign_in(ASHA).await;
    let token = session.field("access_token");
    let enroll = |number: &'static str, token: String| {
        let stage = stage.clone();
        async move {
            stage.post("/factors", json!({"factor_type": "phone", "phone": number})).bearer(&token).await
        }
    };
    let enrolled = enroll(NUMBER, token.to_owned()).await;
    assert_eq!((enrolled.status, enrolled.field("phone")), (200, NUMBER), "{}", enrolled.json());
    assert_eq!(enroll("98-76", token.to_owned()).await.error(), (400, "validation_failed"));
    let id = enrolled.field("id");
    let asked = factors::challenge(&stage, token, id).await;
    assert_eq!((asked.status, asked.field("type")), (200, "phone"), "{}", asked.json());
    let told = fake.asked().remove(0).json();
    assert_eq!((&told["sms"]["phone"], &told["sms"]["sms_type"]), (&json!("919800000001"), &json!("mfa")));
    let code = told["sms"]["otp"].as_str().unwrap();
    let kept: String =
        sqlx::query_scalar("select otp_code from auth.mfa_challenges").fetch_one(stage.sql()).await.unwrap();
    assert!(!kept.contains(code), "only a keyed hash is kept");
    let soon = factors::challenge(&stage, token, id).await;
    assert_eq!(soon.error(), (429, "over_sms_send_rate_limit"), "F7: not before ten seconds");
    assert!(!soon.header("retry-after").unwrap_or_default().is_empty());
    let wrong = factors::answer(&stage, token, id, asked.field("id"), "000000").await;
    assert!(code == "000000" || wrong.error() == (422, "mfa_verification_failed"));
    let raised = factors::answer(&stage, token, id, asked.field("id"), code).await;
    assert_eq!(raised.status, 200, "{}", raised.json());
    let claims = stage.claims(raised.field("access_token"));
    assert_eq!(claims["aal"], "aal2");
    assert!(claims["amr"].to_string().contains("mfa/phone"));
    let again = factors::answer(&stage, raised.field("access_token"), id, asked.field("id"), code).await;
    assert_eq!(again.error(), (422, "mfa_ip_address_mismatch"), "once");
    let same = enroll(NUMBER, raised.field("access_token").to_owned()).await;
    assert_eq!(same.error(), (422, "mfa_verified_factor_exists"));
    let ravi = stage.sign_in(RAVI).await;
    assert_eq!(
        enroll(NUMBER, ravi.field("access_token").to_owned()).await.status,
        200,
        "a family shares a phone"
    );
}

// rows: F7
#[tokio::test]
async fn after_five_wrong_codes_not_even_the_right_one_opens_a_phone_factor() {
    let (stage, fake) = stage().await;
    let session = stage.sign_in(ASHA).await;
    let token = session.field("access_token");
    let enrolled =
        stage.post("/factors", json!({"factor_type": "phone", "phone": NUMBER})).bearer(token).await;
    let id = enrolled.field("id");
    let asked = factors::challenge(&stage, token, id).await;
    let code: u32 = fake.asked()[0].json()["sms"]["otp"].as_str().unwrap().parse().unwrap();
    for step in 1..=5 {
        let guess = format!("{:06}", (code + step) % 1_000_000);
        let wrong = factors::answer(&stage, token, id, asked.field("id"), &guess).await;
        assert_eq!(wrong.error(), (422, "mfa_verification_failed"));
    }
    let right = factors::answer(&stage, token, id, asked.field("id"), &format!("{code:06}")).await;
    assert_eq!(right.error(), (429, "over_request_rate_limit"), "closed, even for the right one");
}

/// Somebody who has the password guesses whenever they may, and has a new code sent whenever that
/// helps.
// rows: F7 F4
#[tokio::test]
async fn who_guesses_a_whole_day_has_three_dozen_guesses() {
    let (stage, fake) = stage().await;
    let session = stage.sign_in(ASHA).await;
    let enrolled = stage.post("/factors", json!({"factor_type": "phone", "phone": NUMBER}));
    let enrolled = enrolled.bearer(session.field("access_token")).await;
    let id = enrolled.field("id");
    let asked = factors::challenge(&stage, session.field("access_token"), id).await;
    let code = fake.asked()[0].json()["sms"]["otp"].as_str().unwrap().to_owned();
    let token = session.field("access_token");
    assert_eq!(factors::answer(&stage, token, id, asked.field("id"), &code).await.status, 200);

    let (mut session, mut challenge, mut guesses) = (stage.sign_in(ASHA).await, String::new(), 0);
    let end = stage.now() + time::Duration::DAY;
    while stage.now() < end {
        let token = session.field("access_token").to_owned();
        let asked = fake.asked().pop().unwrap().json();
        let wrong = wrong(asked["sms"]["otp"].as_str().unwrap(), 1);
        let answer = factors::answer(&stage, &token, id, &challenge, &wrong).await;
        match answer.error() {
            (422, "mfa_verification_failed") => guesses += 1,
            (429, _) => stage.wait(answer.header("retry-after").unwrap_or_default().parse().unwrap()),
            (403, "bad_jwt") => session = stage.refresh(session.field("refresh_token")).await,
            _ => {
                let asked = factors::challenge(&stage, &token, id).await;
                match asked.status {
                    200 => challenge = asked.field("id").to_owned(),
                    _ => stage.wait(asked.header("retry-after").unwrap_or_default().parse().unwrap_or(60)),
                }
            }
        }
    }
    assert!((20..=36).contains(&guesses), "{guesses}");
}

/// Whoever has an account may name anybody's number as a factor, and as many factors as they like
/// one after the other.
// rows: F7 M7
#[tokio::test]
async fn a_number_is_sent_no_more_codes_because_its_factor_is_a_new_one() {
    let (stage, fake) = stage().await;
    let session = stage.sign_in(ASHA).await;
    let token = session.field("access_token");
    let body = json!({"factor_type": "phone", "phone": NUMBER});
    let mut refused = 0;
    for round in 0..15 {
        let enrolled = stage.post("/factors", &body).bearer(token).await;
        assert_eq!(enrolled.status, 200, "{round}: {}", enrolled.json());
        let path = format!("/factors/{}", enrolled.field("id"));
        if round == 1 {
            let soon = factors::challenge(&stage, token, enrolled.field("id")).await;
            assert_eq!(soon.error(), (429, "over_sms_send_rate_limit"), "the pause is the number's");
        }
        stage.wait(11);
        refused += usize::from(factors::challenge(&stage, token, enrolled.field("id")).await.status == 429);
        assert_eq!(stage.call(http::Method::DELETE, &path).bearer(token).await.status, 200);
    }
    assert_eq!((fake.asked().len(), refused), (10, 5));
}
