//! `POST /otp`: sends a sign-in code (auth.md H8, M10-M14).

use std::sync::Arc;

use axum::extract::State;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use sqlx::PgConnection;

use crate::{
    accounts::{self, NewAccount},
    codes::{self, Dispatch, Slot},
    email::{AddressInput, Email},
    error::AuthError,
    mails::Kind,
    pkce::{Challenge, ChallengeInput},
    rate_limit::Limit,
    request::{Context, Json},
    state::Inner,
    store::{
        audit::{self, Action},
        users::{self, User},
    },
};

/// Body of the request.
#[derive(Debug, Deserialize)]
pub(crate) struct Input {
    #[serde(flatten)]
    address: AddressInput,
    create_user: Option<bool>,
    data: Option<Map<String, Value>>,
    #[serde(flatten)]
    challenge: ChallengeInput,
}

/// Answers 200 `{}` for known and unknown addresses alike, when new accounts may be made.
pub(crate) async fn post(
    State(inner): State<Arc<Inner>>,
    context: Context,
    Json(input): Json<Input>,
) -> Result<axum::Json<Value>, AuthError> {
    inner.limits.take(Limit::Otp, &context.client_key(), context.now)?;
    let challenge = input.challenge.check()?;
    let email = input.address.email()?;
    if !inner.settings.email_enabled {
        return Err(AuthError::EmailDisabled);
    }
    let mut transaction = inner.pool.begin().await?;
    let user = account(&inner, &mut transaction, &context, &email, &input).await?;
    send(&inner, &mut transaction, &context, &user, &email, challenge.as_ref()).await?;
    inner.commit(transaction).await?;
    Ok(axum::Json(json!({})))
}

/// The account of the address; a new one where that is wanted and allowed.
async fn account(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    email: &Email,
    input: &Input,
) -> Result<User, AuthError> {
    if let Some(user) = users::by_email_for_update(db, email.as_str()).await? {
        if user.email_confirmed_at.is_none() && !inner.settings.confirm_email {
            accounts::confirm(inner, db, user.id, context.now).await?;
            return accounts::load(db, user.id).await;
        }
        return Ok(user);
    }
    if input.create_user == Some(false) {
        return Err(AuthError::OtpDisabled);
    }
    if !inner.settings.enable_signup {
        return Err(AuthError::SignupDisabled);
    }
    let new = NewAccount {
        id: None,
        email,
        role: "authenticated",
        app_metadata: None,
        user_metadata: input.data.as_ref(),
        confirmed: !inner.settings.confirm_email,
    };
    match accounts::create(inner, db, new, context.now).await? {
        Some(user) => {
            audit::add(db, inner.new_id(), Action::UserSignedUp, &user, context).await?;
            Ok(user)
        }
        // Another request made it first.
        None => users::by_email_for_update(db, email.as_str()).await?.ok_or(AuthError::UserNotFound),
    }
}

/// Sends the mail that fits the account: confirmation while the address is not confirmed, else the sign-in code.
async fn send(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: &User,
    email: &Email,
    challenge: Option<&Challenge>,
) -> Result<(), AuthError> {
    let (kind, slot, action) = if user.email_confirmed_at.is_some() {
        (Kind::MagicLink, Slot::Recovery, Action::UserRecoveryRequested)
    } else {
        (Kind::Confirmation, Slot::Confirmation, Action::UserConfirmationRequested)
    };
    codes::check_frequency(inner, user, slot, context.now)?;
    let dispatch = Dispatch { kind, slot, address: email.as_str(), new_email: None, challenge };
    codes::send(inner, db, context, user, &dispatch).await?;
    codes::note_sent(db, user, slot, context.now)
        .await
        .map_err(|error| AuthError::saving(error, inner.explains))?;
    audit::add(db, inner.new_id(), action, user, context).await?;
    Ok(())
}
