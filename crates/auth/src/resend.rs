//! `POST /resend`: sends a pending code again (auth.md H12, M15, U7).

use std::sync::Arc;

use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::PgConnection;

use crate::{
    codes::{self, Dispatch, Slot},
    email::{AddressInput, Email},
    error::AuthError,
    mails::Kind,
    pkce::{Challenge, ChallengeInput},
    rate_limit::Limit,
    request::{Context, Json},
    state::Inner,
    store::users::{self, User},
    user,
};

/// Body of the request.
#[derive(Debug, Deserialize)]
pub(crate) struct Input {
    r#type: Option<String>,
    #[serde(flatten)]
    address: AddressInput,
    #[serde(flatten)]
    challenge: ChallengeInput,
}

/// Answers 200 `{}` also when nothing is pending or the address is unknown.
pub(crate) async fn post(
    State(inner): State<Arc<Inner>>,
    context: Context,
    Json(input): Json<Input>,
) -> Result<axum::Json<Value>, AuthError> {
    inner.limits.take(Limit::Resend, &context.client_key(), context.now)?;
    let challenge = input.challenge.check()?;
    let email = input.address.email()?;
    if !matches!(input.r#type.as_deref(), Some("signup" | "email_change")) {
        return Err(AuthError::validation(
            "Missing one of these types: signup, email_change, sms, phone_change",
        ));
    }
    let mut transaction = inner.pool.begin().await?;
    if let Some(user) = users::by_email_for_update(&mut transaction, email.as_str()).await? {
        if input.r#type.as_deref() == Some("signup") {
            confirmation(&inner, &mut transaction, &context, &user, &email, challenge.as_ref()).await?;
        } else {
            address_change(&inner, &mut transaction, &context, &user, challenge.as_ref()).await?;
        }
    }
    inner.commit(transaction).await?;
    Ok(axum::Json(json!({})))
}

async fn confirmation(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: &User,
    email: &Email,
    challenge: Option<&Challenge>,
) -> Result<(), AuthError> {
    if user.email_confirmed_at.is_some() {
        return Ok(());
    }
    let slot = Slot::Confirmation;
    codes::check_frequency(inner, user, slot, context.now)?;
    let dispatch =
        Dispatch { kind: Kind::Confirmation, slot, address: email.as_str(), new_email: None, challenge };
    codes::send(inner, db, context, user, &dispatch).await?;
    Ok(codes::note_sent(db, user, slot, context.now).await?)
}

async fn address_change(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: &User,
    challenge: Option<&Challenge>,
) -> Result<(), AuthError> {
    match user.email_change.as_deref().filter(|address| !address.is_empty()) {
        None => Ok(()),
        Some(address) => {
            let address = Email::parse(address)?;
            user::put::request_change(inner, db, context, user, &address, challenge).await
        }
    }
}
