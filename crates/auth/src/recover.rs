//! `POST /recover`: sends a code to who forgot the password (auth.md H13, M16, U18).

use std::sync::Arc;

use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::{
    codes,
    email::{Address, Email},
    error::AuthError,
    first_proof,
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
    inner.limits.take(Limit::Recover, &context.client_key(), context.now)?;
    if !inner.settings.email_enabled {
        return Err(AuthError::EmailLoginsDisabled);
    }
    let email = input.email.filter(|email| !email.is_empty());
    let email = email.ok_or_else(|| AuthError::validation("Password recovery requires an email"))?;
    let (email, challenge) = (Email::parse(&email)?, input.challenge.check()?);
    let address = Address::Email(email);
    let refused = codes::allow(&inner, &context, &address).await.err();
    let work = Box::pin(send(Arc::clone(&inner), context, (address, refused.is_none()), challenge));
    quiet::answer(&inner, began, work).await?;
    refused.map_or(Ok(axum::Json(json!({}))), Err)
}

/// Sends the code, if it may go. That somebody asked is noted in any case.
async fn send(
    inner: Arc<Inner>,
    context: Context,
    (address, allowed): (Address, bool),
    challenge: Option<Challenge>,
) -> Result<(), AuthError> {
    let mut transaction = inner.begin(&context).await?;
    let db = &mut *transaction;
    if let Some(user) = users::by_email_for_update(db, address.as_str()).await? {
        first_proof::asked_from(&inner, db, &user, &context, challenge.as_ref()).await?;
        if allowed {
            let mail = (Kind::Recovery, address.as_str());
            codes::mail(&inner, db, &context, &user, mail, challenge.as_ref()).await?;
        }
    }
    inner.commit(transaction).await
}
