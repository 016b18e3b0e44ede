//! The published Rust crates `supabase-auth` and `postgrest`: sign in with an e-mail code, then a
//! select as that user.

use anyhow::{Context, ensure};
use serde_json::Value;
use supabase_auth::models::{
    AuthClient, LogoutScope, OtpType, Session, UpdatedUser, VerifyEmailOtpParams, VerifyOtpParams,
};

use crate::{NamedTrial, stack::Stack};

/// Name and body of each trial.
pub(crate) const TRIALS: &[NamedTrial] = &[
    ("rust_clients::sign_in_then_select", |stack| run(sign_in_then_select(stack))),
    ("rust_clients::sign_up_sign_in_update_refresh_sign_out", |stack| run(life_of_an_account(stack))),
];

fn run(trial: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(trial)
}

async fn sign_in_then_select(stack: &Stack) -> anyhow::Result<()> {
    let address = format!("rust-client-{}@school.example", std::process::id());
    let auth = AuthClient::new(stack.value("API_URL"), stack.value("ANON_KEY"), stack.value("JWT_SECRET"));
    auth.send_email_with_otp(&address, None).await?;
    let session = enter(stack, &auth, &address).await?;
    ensure!(session.user.email == address, "signed in as somebody else");

    let rest = postgrest::Postgrest::new(format!("{}/rest/v1", stack.value("API_URL")))
        .insert_header("apikey", stack.value("ANON_KEY"));
    let user_id = session.user.id.to_string();
    let profile = serde_json::json!({"user_id": user_id, "coins": 20}).to_string();
    let made = rest.from("profiles").auth(&session.access_token).insert(profile).execute().await?;
    ensure!(made.status().as_u16() == 201, "insert answered {}", made.status());
    let read = rest.from("profiles").auth(&session.access_token).select("user_id,coins").execute().await?;
    let rows: Value = serde_json::from_str(&read.text().await?)?;
    ensure!(rows == serde_json::json!([{"user_id": user_id, "coins": 20}]), "unexpected rows: {rows}");

    let refreshed = auth.refresh_session(&session.refresh_token).await?;
    ensure!(refreshed.user.id == session.user.id, "refreshed as somebody else");
    auth.logout(Some(LogoutScope::Global), &refreshed.access_token).await?;
    ensure!(auth.refresh_session(&refreshed.refresh_token).await.is_err(), "an ended session was refreshed");
    Ok(())
}

/// An account with a password, from its beginning to its sign-out, by the published crate alone.
async fn life_of_an_account(stack: &Stack) -> anyhow::Result<()> {
    let address = format!("rust-account-{}@school.example", std::process::id());
    let password = "correct horse battery";
    let auth = AuthClient::new(stack.value("API_URL"), stack.value("ANON_KEY"), stack.value("JWT_SECRET"));
    auth.sign_up_with_email_and_password(&address, password, None).await?;
    ensure!(auth.login_with_email(&address, password).await.is_err(), "an address that nobody confirmed");
    enter(stack, &auth, &address).await?;
    ensure!(auth.login_with_email(&address, "wrong password").await.is_err(), "a wrong password signed in");
    let session = auth.login_with_email(&address, password).await?;
    ensure!(auth.get_user(&session.access_token).await?.email == address, "another account");
    let changes =
        UpdatedUser { email: None, password: None, data: Some(serde_json::json!({"full_name": "Asha K"})) };
    let changed = auth.update_user(changes, &session.access_token).await?;
    ensure!(changed.user_metadata.full_name.as_deref() == Some("Asha K"), "the metadata did not change");
    let refreshed = auth.refresh_session(&session.refresh_token).await?;
    ensure!(refreshed.user.id == session.user.id, "refreshed as somebody else");
    auth.logout(Some(LogoutScope::Local), &refreshed.access_token).await?;
    ensure!(auth.refresh_session(&refreshed.refresh_token).await.is_err(), "an ended session was refreshed");
    Ok(())
}

/// Types the code of the newest mail.
async fn enter(stack: &Stack, auth: &AuthClient, address: &str) -> anyhow::Result<Session> {
    let entered = VerifyEmailOtpParams {
        email: address.to_owned(),
        token: code_for(stack, address).await?,
        otp_type: OtpType::Email,
        options: None,
    };
    Ok(auth.verify_otp(VerifyOtpParams::Email(entered)).await?)
}

/// The code in the newest mail to an address, read from the inbox's Mailpit API.
async fn code_for(stack: &Stack, address: &str) -> anyhow::Result<String> {
    let inbox = stack.value("MAILPIT_URL");
    for _ in 0..100 {
        let found: Value = get(&format!("{inbox}/api/v1/search?query=to:{address}&limit=1")).await?;
        if let Some(id) = found["messages"][0]["ID"].as_str() {
            let message = get(&format!("{inbox}/api/v1/message/{id}")).await?;
            let text = message["Text"].as_str().context("the mail has a text")?;
            return text
                .split(|c: char| !c.is_ascii_digit())
                .find(|word| word.len() == 6)
                .map(str::to_owned)
                .context("the mail has a code of six digits");
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    anyhow::bail!("no mail for {address}")
}

async fn get(url: &str) -> anyhow::Result<Value> {
    Ok(serde_json::from_str(&reqwest::get(url).await?.text().await?)?)
}
