use banyan_testkit::Answer;
use serde_json::{Value, json};

use crate::support::{ASHA, RAVI, Stage};

const NEW: &str = "asha.new@example.com";

// rows: H20
#[tokio::test]
async fn get_user_shows_the_account() {
    let stage = Stage::new().await;
    let session = stage.sign_in(ASHA).await;
    let user = stage.get("/user").bearer(session.field("access_token")).await;
    assert_eq!(user.status, 200, "{}", user.json());
    assert_eq!(user["id"], session["user"]["id"]);
    assert_eq!((&user["aud"], &user["phone"]), (&json!("authenticated"), &json!("")));
    assert_eq!(user["is_anonymous"], json!(false));
    assert_eq!(user["identities"][0]["provider"], "email");
    assert_eq!(user["identities"][0]["id"], user["id"]);
    assert!(user.field("created_at").ends_with('Z'), "W8: {}", user["created_at"]);
    for secret in ["encrypted_password", "confirmation_token", "recovery_token"] {
        assert!(user.json().get(secret).is_none());
    }
}

// rows: U1
#[tokio::test]
async fn data_is_merged_and_null_removes() {
    let stage = Stage::new().await;
    let session = stage.sign_in(ASHA).await;
    let token = session.field("access_token");
    stage.put("/user", json!({"data": {"school": "ZP Wai", "lang": "mr"}})).bearer(token).await;
    let user = stage.put("/user", json!({"data": {"lang": null, "class": 7}})).bearer(token).await;
    let metadata = &user["user_metadata"];
    assert_eq!((&metadata["school"], &metadata["class"]), (&json!("ZP Wai"), &json!(7)));
    assert!(metadata.get("lang").is_none());
    let refreshed = stage.refresh(session.field("refresh_token")).await;
    assert_eq!(stage.claims(refreshed.field("access_token"))["user_metadata"]["school"], "ZP Wai");
}

// rows: U14
#[tokio::test]
async fn a_user_cannot_write_what_policies_trust() {
    let stage = Stage::new().await;
    let session = stage.sign_in(ASHA).await;
    let token = session.field("access_token");
    let refused = stage.put("/user", json!({"app_metadata": {"admin": true}})).bearer(token).await;
    assert_eq!(refused.error(), (403, "not_admin"));
    stage.put("/user", json!({"role": "service_role", "id": "x"})).bearer(token).await;
    let refreshed = stage.refresh(session.field("refresh_token")).await;
    assert_eq!(stage.claims(refreshed.field("access_token"))["role"], "authenticated");
}

// rows: T-9 U2 U8 V10
#[tokio::test]
async fn an_address_changes_when_both_addresses_agree() {
    let stage = Stage::new().await;
    let session = stage.sign_in(ASHA).await;
    stage.wait(2);
    let asked = stage.put("/user", json!({"email": NEW})).bearer(session.field("access_token")).await;
    assert_eq!(asked.status, 200, "{}", asked.json());
    assert_eq!((&asked["email"], &asked["new_email"]), (&json!(ASHA), &json!(NEW)));
    let verify = |email: &'static str, code: String| {
        let body = json!({"type": "email_change", "email": email, "token": code});
        let stage = stage.clone();
        async move { stage.post("/verify", &body).await }
    };
    let half = verify(NEW, stage.code(NEW).await).await;
    assert_eq!((half.status, &half["code"]), (200, &json!("200")), "{}", half.json());
    assert!(half.field("msg").starts_with("Confirmation link accepted."));
    assert_eq!(stage.number("select count(*) from auth.users where email = 'asha@example.com'").await, 1);
    let done = verify(ASHA, stage.code(ASHA).await).await;
    assert_eq!(done.status, 200, "{}", done.json());
    assert_eq!(done["user"]["email"], NEW);
    assert_eq!(done["user"]["identities"][0]["identity_data"]["email"], NEW);
    assert!(done["user"].get("new_email").is_none());
    assert_eq!(stage.claims(done.field("access_token"))["email"], NEW);
    stage.sign_in(NEW).await;
}

// rows: U3
#[tokio::test]
async fn with_single_confirmation_only_the_new_address_is_asked() {
    let stage = Stage::with("[auth.email]\ndouble_confirm_changes = false\n").await;
    let session = stage.sign_in(ASHA).await;
    let mails = stage.mails(ASHA).await.len();
    stage.put("/user", json!({"email": NEW})).bearer(session.field("access_token")).await;
    assert_eq!(stage.mails(ASHA).await.len(), mails);
    let body = json!({"type": "email_change", "email": NEW, "token": stage.code(NEW).await});
    let done = stage.post("/verify", &body).await;
    assert_eq!(done["user"]["email"], NEW);
}

// rows: U5
#[tokio::test]
async fn an_address_of_somebody_else_is_refused() {
    let stage = Stage::new().await;
    stage.sign_in(RAVI).await;
    let session = stage.sign_in(ASHA).await;
    let refused =
        stage.put("/user", json!({"email": "RAVI@example.com"})).bearer(session.field("access_token")).await;
    assert_eq!(refused.error(), (422, "email_exists"));
}

// rows: U5
#[tokio::test]
async fn an_address_taken_before_the_code_is_entered_is_refused() {
    let stage = Stage::with("[auth.email]\ndouble_confirm_changes = false\n").await;
    let session = stage.sign_in(ASHA).await;
    stage.put("/user", json!({"email": RAVI})).bearer(session.field("access_token")).await;
    let code = stage.code(RAVI).await;
    stage
        .post("/admin/users", json!({"email": RAVI, "email_confirm": true}))
        .bearer(&stage.service_key())
        .await;
    let body = json!({"type": "email_change", "email": RAVI, "token": code});
    assert_eq!(stage.post("/verify", &body).await.error(), (422, "email_exists"));
}

// rows: U7
#[tokio::test]
async fn resend_sends_the_codes_of_a_pending_change_again() {
    let stage = Stage::new().await;
    let session = stage.sign_in(ASHA).await;
    stage.put("/user", json!({"email": NEW})).bearer(session.field("access_token")).await;
    stage.wait(2);
    let resent = stage.post("/resend", json!({"type": "email_change", "email": ASHA})).await;
    assert_eq!(resent.status, 200, "{}", resent.json());
    assert_eq!(
        (stage.mails(NEW).await.len(), stage.mails(ASHA).await.len()),
        (2, 3),
        "to both, and a sign-in"
    );
    let body = |email: &str, code: String| json!({"type": "email_change", "email": email, "token": code});
    let half = stage.post("/verify", body(ASHA, stage.code(ASHA).await)).await;
    assert_eq!((half.status, &half["code"]), (200, &json!("200")), "{}", half.json());
    let done = stage.post("/verify", body(NEW, stage.code(NEW).await)).await;
    assert_eq!(done["user"]["email"], NEW, "{}", done.json());
}

/// Begins a change from Asha's address to another one, to which Asha's own agrees.
async fn half_agreed(stage: &Stage) {
    let session = stage.sign_in(ASHA).await;
    stage.wait(2);
    stage.put("/user", json!({"email": NEW})).bearer(session.field("access_token")).await;
    let half = stage.post("/verify", of_change(ASHA, stage.code(ASHA).await)).await;
    assert_eq!((half.status, &half["code"]), (200, &json!("200")), "{}", half.json());
}

fn of_change(email: &str, code: String) -> serde_json::Value {
    json!({"type": "email_change", "email": email, "token": code})
}

/// Anybody asks, also who has the new address, which its owner may have typed wrong.
async fn ask_again(stage: &Stage) {
    let resent = stage.post("/resend", json!({"type": "email_change", "email": ASHA})).await;
    assert_eq!(resent.status, 200, "{}", resent.json());
}

// rows: U7 U2
#[tokio::test]
async fn an_agreement_to_a_change_ends_with_the_code_of_its_time() {
    for asked_between in [false, true] {
        let stage = Stage::new().await;
        half_agreed(&stage).await;
        let own_mails = stage.mails(ASHA).await.len();
        stage.wait(3_000);
        if asked_between {
            ask_again(&stage).await;
            assert_eq!(stage.mails(ASHA).await.len(), own_mails, "who agreed is not asked while it counts");
            let ends = "select count(distinct expires_at) from mail.messages where 'asha.new@example.com' = any(recipients)";
            assert_eq!(
                stage.number(ends).await,
                1,
                "no mail waits to be sent for longer than its code counts"
            );
        }
        stage.wait(700);
        let late = stage.post("/verify", of_change(NEW, stage.code(NEW).await)).await;
        assert_eq!(late.error(), (403, "otp_expired"), "{asked_between}: {}", late.json());
        ask_again(&stage).await;
        assert_eq!(stage.mails(ASHA).await.len(), own_mails + 1, "{asked_between}: both are asked anew");
        let entered = stage.post("/verify", of_change(NEW, stage.code(NEW).await)).await;
        assert_eq!(entered["code"], "200", "{asked_between}: half of it again: {}", entered.json());
        let done = stage.post("/verify", of_change(ASHA, stage.code(ASHA).await)).await;
        assert_eq!(done["user"]["email"], NEW, "{asked_between}: {}", done.json());
    }
}

/// An admin's link to one of two addresses.
// rows: U2 M4
#[tokio::test]
async fn a_code_of_a_change_ends_though_the_other_address_is_sent_one_later() {
    let stage = Stage::new().await;
    let session = stage.sign_in(ASHA).await;
    stage.wait(2);
    stage.put("/user", json!({"email": NEW})).bearer(session.field("access_token")).await;
    let old = stage.code(ASHA).await;
    stage.wait(7_200);
    let link = json!({"type": "email_change_new", "email": ASHA, "new_email": NEW});
    let made = stage.post("/admin/generate_link", &link).bearer(&stage.service_key()).await;
    assert_eq!(made.status, 200, "{}", made.json());
    let late = stage.post("/verify", of_change(ASHA, old)).await;
    assert_eq!(late.error(), (403, "otp_expired"), "{}", late.json());
}

/// Whoever uses a code locks the account before the code.
// rows: S8
#[tokio::test]
async fn a_sign_out_beside_the_use_of_a_code_deadlocks_neither() {
    let stage = Stage::new().await;
    let session = stage.sign_in(ASHA).await;
    stage.wait(2);
    let token = session.field("access_token").to_owned();
    stage.put("/user", json!({"email": NEW})).bearer(&token).await;
    let mut using = stage.sql().begin().await.unwrap();
    sqlx::query("select from auth.users for update").execute(&mut *using).await.unwrap();
    let signing_out = tokio::spawn({
        let stage = stage.clone();
        async move { stage.post("/logout", json!({})).bearer(&token).await.status }
    });
    while stage.number("select count(*) from pg_locks where not granted").await == 0 {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    sqlx::query("delete from auth.one_time_tokens").execute(&mut *using).await.unwrap();
    using.commit().await.unwrap();
    assert_eq!(signing_out.await.unwrap(), 204);
}

// rows: S8
#[tokio::test]
async fn a_sign_out_with_nothing_pending_is_no_change_of_the_account() {
    let stage = Stage::new().await;
    let session = stage.sign_in(ASHA).await;
    stage.execute("create table public.changed (); grant all on public.changed to supabase_auth_admin").await;
    stage
        .execute(
            "create function public.note() returns trigger language plpgsql as
            $$ begin insert into public.changed default values; return new; end $$;
        grant usage on schema public to supabase_auth_admin;
        create trigger noted after update on auth.users for each row execute function public.note()",
        )
        .await;
    let out = stage.post("/logout", json!({})).bearer(session.field("access_token")).await;
    assert_eq!(out.status, 204, "{}", out.json());
    assert_eq!(stage.number("select count(*) from public.changed").await, 0);
}

/// A sign-in by a code takes all other codes with it.
// rows: U7
#[tokio::test]
async fn a_half_agreed_change_without_a_code_is_asked_for_anew() {
    let stage = Stage::new().await;
    half_agreed(&stage).await;
    stage.wait(120);
    stage.sign_in(ASHA).await;
    stage.wait(120);
    let before = (stage.mails(NEW).await.len(), stage.mails(ASHA).await.len());
    ask_again(&stage).await;
    let after = (stage.mails(NEW).await.len(), stage.mails(ASHA).await.len());
    assert_eq!(after, (before.0 + 1, before.1 + 1));
}

// rows: T-10 H23 JS13
#[tokio::test]
async fn sign_out_ends_what_its_scope_says() {
    let stage = Stage::new().await;
    let mut sessions = Vec::new();
    for _ in 0..4 {
        sessions.push(stage.sign_in(ASHA).await);
    }
    let ravi = stage.sign_in(RAVI).await;
    let alive =
        async |session: &Answer| stage.get("/user").bearer(session.field("access_token")).await.status == 200;
    let logout = async |scope: &str, session: &Answer| {
        let path = format!("/logout{scope}");
        stage.post(&path, &Value::Null).bytes("").bearer(session.field("access_token")).await.status
    };
    assert_eq!(logout("?scope=everywhere", &sessions[0]).await, 400);
    assert_eq!(logout("?scope=local", &sessions[0]).await, 204);
    assert!(!alive(&sessions[0]).await && alive(&sessions[1]).await);
    assert_eq!(
        stage.refresh(sessions[0].field("refresh_token")).await.error(),
        (400, "refresh_token_not_found")
    );
    assert_eq!(logout("?scope=others", &sessions[1]).await, 204);
    assert!(alive(&sessions[1]).await && !alive(&sessions[2]).await);
    let fifth = stage.sign_in(ASHA).await;
    assert_eq!(logout("", &fifth).await, 204);
    assert!(!alive(&sessions[1]).await && !alive(&fifth).await);
    assert!(alive(&ravi).await, "nobody else is signed out");
    let gone = stage.get("/user").bearer(fifth.field("access_token")).await;
    assert_eq!(gone.error(), (403, "session_not_found"));
    assert_eq!(logout("", &fifth).await, 403);
}
