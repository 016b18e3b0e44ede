//! `POST /recover`: sends a code to who forgot the password (CONTRACT.md H13, M16, U18).

use std::sync::Arc;

use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::{
    codes,
    email::{Address, Email},
    error::AuthError,
    first_hand,
    mails::Kind,
    pkce::{Challenge, ChallengeInput},
    quiet,
    rate_limit::Limit,
    request::{Context, Json},
    state::Inner,
    store::users,
};

/// Body of the request.
#[derive(Debug, Deserialize)]
pub(crate) struct Input {
    email: Option<String>,
    #[serde(flatten)]
    challenge: ChallengeInput,
}

/// Answers 200 `{}` for known and unknown addresses alike, after the same time.
pub(crate) async fn post(
    State(inner): State<Arc<Inner>>,
    context: Context,
    Json(input): Json<Input>,
) -> Result<axum::Json<Value>, AuthError> {
    let began = Instant::now();
    let within_limit = inner.limits.take(Limit::Recover, &context.client_key(), context.now);
    if !inner.settings.email_enabled {
        return Err(AuthError::EmailLoginsDisabled);
    }
    let email = input.email.filter(|email| !email.is_empty());
    let email = email.ok_or_else(|| AuthError::validation("Password recovery requires an email"))?;
    let (email, challenge) = (Email::parse(&email)?, input.challenge.check()?);
    let address = Address::Email(email);
    let asker = (&address, challenge.as_ref());
    quiet::refusal(began, first_hand::noted(&inner, asker, within_limit).await).await?;
    let allowed = codes::allow(&inner, &context, &address).await;
    quiet::refusal(began, first_hand::noted(&inner, asker, allowed).await).await?;
    quiet::answer(&inner, began, Box::pin(code(Arc::clone(&inner), context, address, challenge))).await?;
    Ok(axum::Json(json!({})))
}

/// Sends the code. That somebody asked is noted in any case.
async fn code(
    inner: Arc<Inner>,
    context: Context,
    address: Address,
    challenge: Option<Challenge>,
) -> Result<(), AuthError> {
    let sent = send(&inner, &context, &address, challenge.as_ref()).await;
    first_hand::noted(&inner, (&address, challenge.as_ref()), sent).await
}

async fn send(
    inner: &Inner,
    context: &Context,
    address: &Address,
    challenge: Option<&Challenge>,
) -> Result<(), AuthError> {
    let mut transaction = inner.begin(context).await?;
    let db = &mut *transaction;
    if let Some(user) = users::by_email_for_update(db, address.as_str()).await? {
        first_hand::asked_from(inner, db, &user, challenge).await?;
        codes::mail(inner, db, context, &user, (Kind::Recovery, address.as_str()), challenge).await?;
    }
    inner.commit(transaction).await
}
