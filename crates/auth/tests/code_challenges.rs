//! Proof keys of links and sign-ins (CONTRACT.md K1 to K8).

use banyan_testkit::Answer;
use serde_json::{Value, json};

use crate::{
    browser::Landing,
    support::{ASHA, RAVI, Stage},
};

const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const OTHER: &str = "another-verifier-of-another-browser-in-another-room";

/// A service with links as subjects of all mails.
async fn stage(email: &str) -> Stage {
    let templates: String = ["magic_link", "confirmation", "recovery", "email_change"]
        .iter()
        .map(|name| format!("[auth.email.template.{name}]\nsubject = \"{{{{ .ConfirmationURL }}}}\"\n"))
        .collect();
    Stage::with(&format!("[auth.email]\n{email}\n{templates}")).await
}

fn challenged(mut body: Value, challenge: &str) -> Value {
    body["code_challenge"] = json!(challenge);
    body["code_challenge_method"] = json!(if challenge == CHALLENGE { "S256" } else { "PLAIN" });
    body
}

async fn follow(stage: &Stage, to: &str) -> Landing {
    let address = stage.mails(to).await.pop().expect("a mail").0;
    let path = address.strip_prefix("http://127.0.0.1:54321/auth/v1").unwrap_or_else(|| panic!("{address}"));
    assert!(path.contains("pkce_"), "{path}");
    Landing::of(&stage.get(path).await)
}

async fn exchange(stage: &Stage, code: &str, verifier: &str) -> Answer {
    stage.post("/token?grant_type=pkce", json!({"auth_code": code, "code_verifier": verifier})).await
}

// rows: K2 K4 T14
#[tokio::test]
async fn every_way_that_sends_a_link_takes_a_challenge() {
    let stage = stage("enable_confirmations = true").await;
    let password = "correct horse battery";
    let sign_up = challenged(json!({"email": ASHA, "password": password}), CHALLENGE);
    for (path, body, method) in [
        ("/signup", sign_up, "email/signup"),
        ("/otp", challenged(json!({"email": ASHA}), CHALLENGE), "magiclink"),
        ("/magiclink", challenged(json!({"email": ASHA}), CHALLENGE), "magiclink"),
        ("/recover", challenged(json!({"email": ASHA}), CHALLENGE), "recovery"),
    ] {
        stage.wait(2);
        let asked = stage.post(path, &body).await;
        assert_eq!(asked.status, 200, "{path}: {}", asked.json());
        let landing = follow(&stage, ASHA).await;
        let session = exchange(&stage, &landing.query["code"], VERIFIER).await;
        assert_eq!(session.status, 200, "{path}: {}", session.json());
        assert_eq!(stage.claims(session.field("access_token"))["amr"][0]["method"], method, "{path}");
    }
}

// rows: K2
#[tokio::test]
async fn a_link_that_is_sent_again_takes_a_challenge_too() {
    let stage = stage("enable_confirmations = true").await;
    stage.post("/signup", json!({"email": ASHA, "password": "correct horse battery"})).await;
    stage.wait(2);
    let again = challenged(json!({"type": "signup", "email": ASHA}), CHALLENGE);
    assert_eq!(stage.post("/resend", &again).await.status, 200);
    let landing = follow(&stage, ASHA).await;
    assert_eq!(exchange(&stage, &landing.query["code"], VERIFIER).await.status, 200);
}

// rows: K2 V10
#[tokio::test]
async fn both_links_of_an_address_change_go_with_their_challenge() {
    let stage = stage("").await;
    let session = stage.sign_in(ASHA).await;
    stage.wait(2);
    let change = challenged(json!({"email": RAVI}), CHALLENGE);
    let asked = stage.put("/user", &change).bearer(session.field("access_token")).await;
    assert_eq!(asked.status, 200, "{}", asked.json());
    let first = follow(&stage, RAVI).await;
    assert!(
        first.fragment["message"].contains("proceed to confirm link sent to the other email"),
        "{first:?}"
    );
    let second = follow(&stage, ASHA).await;
    let changed = exchange(&stage, &second.query["code"], VERIFIER).await;
    assert_eq!(changed["user"]["email"], RAVI, "{}", changed.json());
}

/// Anybody may ask for the links of a change again, who knows the address: once one of two
/// addresses agreed, and before.
// rows: U7 M15 K7
#[tokio::test]
async fn a_stranger_who_asks_again_takes_no_agreement_back_and_no_link_over() {
    for agreed in [true, false] {
        let stage = stage("").await;
        let session = stage.sign_in(ASHA).await;
        stage.wait(2);
        let change = challenged(json!({"email": RAVI}), CHALLENGE);
        stage.put("/user", &change).bearer(session.field("access_token")).await;
        if agreed {
            follow(&stage, ASHA).await;
        }
        let own_mails = stage.mails(ASHA).await.len();
        stage.wait(2);
        let again = challenged(json!({"type": "email_change", "email": ASHA}), OTHER);
        let resent = stage.post("/resend", &again).from([198, 51, 100, 1]).await;
        assert_eq!(resent.status, 200, "{}", resent.json());
        assert_eq!(stage.mails(RAVI).await.len(), 2, "the owner of an address that is open has another mail");
        assert_eq!(stage.mails(ASHA).await.len(), own_mails + usize::from(!agreed), "{agreed}");
        if !agreed {
            follow(&stage, ASHA).await;
        }
        let last = follow(&stage, RAVI).await;
        let changed = exchange(&stage, &last.query["code"], VERIFIER).await;
        assert_eq!(changed["user"]["email"], RAVI, "{agreed}: {}", changed.json());
    }
}

/// Who began the change without a challenge gets links without one: nobody else's is put on them,
/// nor that of a change before it.
// rows: U7 K7
#[tokio::test]
async fn a_change_without_a_challenge_takes_none_of_who_asks_again() {
    let stage = stage("double_confirm_changes = false").await;
    let session = stage.sign_in(ASHA).await;
    stage.wait(2);
    let before = challenged(json!({"email": "thief@example.com"}), OTHER);
    let begun = stage.put("/user", &before).bearer(session.field("access_token")).await;
    assert_eq!(begun.status, 200, "{}", begun.json());
    stage.wait(2);
    stage.put("/user", json!({"email": RAVI})).bearer(session.field("access_token")).await;
    stage.wait(2);
    let again = challenged(json!({"type": "email_change", "email": ASHA}), CHALLENGE);
    assert_eq!(stage.post("/resend", &again).await.status, 200);
    let mails = stage.mails(RAVI).await;
    assert_eq!(mails.len(), 2);
    assert!(!mails[1].0.contains("pkce_"), "{}", mails[1].0);
}

/// What strangers may have sent to an address together is spent; its owner, signed in, is sent
/// codes all the same.
// rows: U7 M16
#[tokio::test]
async fn who_asks_again_for_the_codes_of_a_change_is_a_stranger_to_its_addresses() {
    let stage = stage("").await;
    let session = stage.sign_in(ASHA).await;
    let spent = "update auth.banyan_code_addresses set codes_spent_until = now() + interval '10 years'";
    let spent = sqlx::query(spent).execute(stage.sql()).await.unwrap();
    assert_eq!(spent.rows_affected(), 1);
    stage.wait(2);
    stage.put("/user", json!({"email": RAVI})).bearer(session.field("access_token")).await;
    let mails = async || (stage.mails(ASHA).await.len(), stage.mails(RAVI).await.len());
    assert_eq!(mails().await, (2, 1), "a sign-in, and both codes of the change");
    stage.wait(2);
    let again = json!({"type": "email_change", "email": ASHA});
    let resent = stage.post("/resend", &again).from([198, 51, 100, 1]).await;
    assert_eq!((resent.status, mails().await), (200, (2, 1)));
}

// rows: K5
#[tokio::test]
async fn each_way_to_fail_has_its_code() {
    let stage = stage("").await;
    for body in [
        json!({}),
        json!({"auth_code": "x"}),
        json!({"code_verifier": "x"}),
        json!({"auth_code": "", "code_verifier": ""}),
    ] {
        assert_eq!(stage.post("/token?grant_type=pkce", &body).await.error(), (400, "validation_failed"));
    }
    assert_eq!(
        exchange(&stage, "5f0c8e1e-0000-4000-8000-000000000001", VERIFIER).await.error(),
        (404, "flow_state_not_found")
    );
    stage.post("/otp", challenged(json!({"email": ASHA}), CHALLENGE)).await;
    let landing = follow(&stage, ASHA).await;
    let code = &landing.query["code"];
    assert_eq!(exchange(&stage, code, OTHER).await.error(), (400, "bad_code_verifier"));
    assert_eq!(
        exchange(&stage, code, VERIFIER).await.status,
        200,
        "a wrong verifier leaves the flow as it is"
    );
}

// rows: K4
#[tokio::test]
async fn one_code_brings_one_session_however_many_ask_at_a_time() {
    let stage = stage("").await;
    stage.post("/otp", challenged(json!({"email": ASHA}), CHALLENGE)).await;
    let code = follow(&stage, ASHA).await.query["code"].clone();
    let tasks: Vec<_> = (0..8)
        .map(|_| {
            let (stage, code) = (stage.clone(), code.clone());
            tokio::spawn(async move { exchange(&stage, &code, VERIFIER).await.status })
        })
        .collect();
    let mut granted = 0;
    for task in tasks {
        granted += u32::from(task.await.unwrap() == 200);
    }
    assert_eq!(granted, 1);
}

// rows: K7 C9
#[tokio::test]
async fn a_request_of_another_browser_does_not_take_the_code_over() {
    let stage = stage("").await;
    stage.sign_in(ASHA).await;
    stage.wait(2);
    // The browser asks for a way back in, then somebody elsewhere asks for a link of another kind.
    stage.post("/recover", challenged(json!({"email": ASHA}), CHALLENGE)).await;
    let recovery = stage.mails(ASHA).await.pop().unwrap().0;
    stage.wait(2);
    stage.post("/otp", challenged(json!({"email": ASHA}), OTHER)).await;
    let newer = follow(&stage, ASHA).await;
    assert_eq!(exchange(&stage, &newer.query["code"], VERIFIER).await.error(), (400, "bad_code_verifier"));
    assert_eq!(exchange(&stage, &newer.query["code"], OTHER).await.status, 200);
    let path = recovery.strip_prefix("http://127.0.0.1:54321/auth/v1").unwrap();
    let old = Landing::of(&stage.get(path).await);
    assert_eq!(old.error(), ("access_denied", "otp_expired"), "the newer mail replaced it (M6)");
}

// rows: K6 C9
#[tokio::test]
async fn a_link_works_as_long_as_the_mail_says() {
    let stage = stage("").await;
    for path in ["/otp", "/recover"] {
        stage.sign_in(ASHA).await;
        stage.wait(2);
        stage.post(path, challenged(json!({"email": ASHA}), CHALLENGE)).await;
        stage.wait(3500);
        let landing = follow(&stage, ASHA).await;
        assert_eq!(exchange(&stage, &landing.query["code"], VERIFIER).await.status, 200, "{path}");
    }
}

// rows: K8
#[tokio::test]
async fn a_server_confirms_the_hash_of_such_a_link_without_a_verifier() {
    let stage = Stage::with("[auth.email.template.magic_link]\nsubject = \"{{ .TokenHash }}\"").await;
    stage.post("/otp", challenged(json!({"email": ASHA}), CHALLENGE)).await;
    let hash = stage.mails(ASHA).await.pop().unwrap().0;
    assert!(hash.starts_with("pkce_"), "{hash}");
    let session = stage.post("/verify", json!({"type": "email", "token_hash": hash})).await;
    assert_eq!(session.status, 200, "{}", session.json());
    assert!(session["access_token"].is_string());
}
