//! `POST /recover`: sends a code to who forgot the password (auth.md H13, M16, U18).

use std::sync::Arc;

use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::{
    codes::{self, Dispatch, Slot},
    email::Email,
    error::AuthError,
    first_proof::{self, Asker},
    mails::Kind,
    passwords,
    pkce::{Challenge, ChallengeInput},
    rate_limit::Limit,
    request::{Context, Json},
    state::Inner,
    store::{
        audit::{self, Action},
        users,
    },
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
    let sent = send(&inner, &context, &email, challenge.as_ref()).await;
    passwords::even_out(began).await;
    sent.map(|()| axum::Json(json!({})))
}

async fn send(
    inner: &Inner,
    context: &Context,
    email: &Email,
    challenge: Option<&Challenge>,
) -> Result<(), AuthError> {
    let mut transaction = inner.pool.begin().await?;
    let db = &mut *transaction;
    let Some(user) = users::by_email_for_update(db, email.as_str()).await? else { return Ok(()) };
    let slot = Slot::Recovery;
    codes::check_frequency(inner, &user, slot, context.now)?;
    audit::add(db, inner.new_id(), Action::UserRecoveryRequested, &user, context).await?;
    first_proof::asked_by(db, &user, Asker::Anybody).await?;
    let dispatch =
        Dispatch { kind: Kind::Recovery, slot, address: email.as_str(), new_email: None, challenge };
    codes::send(inner, db, context, &user, &dispatch).await?;
    codes::note_sent(db, &user, slot, context.now)
        .await
        .map_err(|error| AuthError::saving(error, inner.explains))?;
    inner.commit(transaction).await
}
