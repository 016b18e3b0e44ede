//! `POST /recover`: sends a code to a user who forgot the password (CONTRACT.md H13, M16, U18).

use std::sync::Arc;

use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::{
    context::ServiceContext,
    domain::{account_origin, codes, enumeration_guard, limits::otp_quota},
    mails::Kind,
    rate_limit::Limit,
    store::users,
    wire::{
        email::{Address, Email},
        error::AuthError,
        pkce::{Challenge, ChallengeInput},
        request::{Json, RequestContext},
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
    State(service): State<Arc<ServiceContext>>,
    context: RequestContext,
    Json(input): Json<Input>,
) -> Result<axum::Json<Value>, AuthError> {
    let began = Instant::now();
    let within_limit = service.limits.take(Limit::Recover, &context.client_key(), context.now);
    if !service.settings.email_enabled {
        return Err(AuthError::EmailLoginsDisabled);
    }
    let email = input.email.filter(|email| !email.is_empty());
    let email = email.ok_or_else(|| AuthError::validation("Password recovery requires an email"))?;
    let (email, challenge) = (Email::parse(&email)?, input.challenge.check()?);
    let address = Address::Email(email);
    let asker = (&address, challenge.as_ref());
    enumeration_guard::refusal(began, account_origin::dispute_on_error(&service, asker, within_limit).await)
        .await?;
    let allowed = otp_quota::allow(&service, &context, &address).await;
    enumeration_guard::refusal(began, account_origin::dispute_on_error(&service, asker, allowed).await)
        .await?;
    enumeration_guard::answer(
        &service,
        began,
        Box::pin(code(Arc::clone(&service), context, address, challenge)),
    )
    .await?;
    Ok(axum::Json(json!({})))
}

/// Sends the code. A failure disputes the account.
async fn code(
    service: Arc<ServiceContext>,
    context: RequestContext,
    address: Address,
    challenge: Option<Challenge>,
) -> Result<(), AuthError> {
    let sent = send(&service, &context, &address, challenge.as_ref()).await;
    account_origin::dispute_on_error(&service, (&address, challenge.as_ref()), sent).await
}

async fn send(
    service: &ServiceContext,
    context: &RequestContext,
    address: &Address,
    challenge: Option<&Challenge>,
) -> Result<(), AuthError> {
    let mut transaction = service.begin(context).await?;
    let tx = &mut transaction.tx();
    if let Some(user) = users::by_email_for_update(tx.db, address.as_str()).await? {
        account_origin::code_requested_with(tx, &user, challenge).await?;
        codes::mail(tx, &user, (Kind::Recovery, address.as_str()), challenge).await?;
    }
    service.commit(transaction).await
}
