use std::sync::Arc;

use axum::extract::State;
use serde_json::{Value, json};

use super::{VerifyInput, begin, check_enabled, take};
use crate::{
    context::ServiceContext,
    domain::{
        audit_log::{self, Action},
        sessions::{self, IssuedSession},
    },
    rate_limit::Limit,
    store::{
        passkeys,
        users::{self, User},
        webauthn_challenges::Purpose,
    },
    webauthn::{Assertion, Ceremony},
    wire::{
        error::{AuthError, FactorError},
        request::{Json, RequestContext},
    },
};

/// `POST /passkeys/authentication/options` (CONTRACT.md H36): names no user, so it gives nothing
/// away.
pub(crate) async fn options(
    State(service): State<Arc<ServiceContext>>,
    context: RequestContext,
) -> Result<axum::Json<Value>, AuthError> {
    service.limits.take(Limit::Passkey, &context.client_key(), context.now)?;
    check_enabled(&service)?;
    let ceremony = Ceremony::of(&service.settings)?.ask_for_any()?;
    let mut transaction = service.begin(&context).await?;
    let challenge = begin(&mut transaction.tx(), Purpose::Authentication, &ceremony).await?;
    service.commit(transaction).await?;
    Ok(axum::Json(challenge))
}

/// `POST /passkeys/authentication/verify` (CONTRACT.md H37, F12).
pub(crate) async fn verify(
    State(service): State<Arc<ServiceContext>>,
    context: RequestContext,
    Json(input): Json<VerifyInput>,
) -> Result<IssuedSession, AuthError> {
    service.limits.take(Limit::Passkey, &context.client_key(), context.now)?;
    check_enabled(&service)?;
    let (id, answer) = (input.challenge()?, input.credential()?);
    let challenge = take(&service, &context, id, Purpose::Authentication).await?;
    let assertion = Assertion::read(answer)?;
    let mut transaction = service.begin(&context).await?;
    let tx = &mut transaction.tx();
    let passkey = passkeys::by_credential_for_update(tx.db, assertion.user, &assertion.credential()).await?;
    let passkey = passkey.ok_or_else(|| FactorError::WebauthnFailed("no such credential".to_owned()))?;
    let update = Ceremony::of(&service.settings)?.check_any(
        &challenge.session_data,
        &assertion,
        &passkey.credential(),
    )?;
    let user = users::by_id(&mut *tx.db, passkey.user_id).await?.ok_or(AuthError::UserNotFound)?;
    check_may_sign_in(&user, &context)?;
    passkeys::used(tx.db, passkey.id, &update, context.now).await?;
    let traits = json!({"passkey_id": passkey.id});
    audit_log::add_with(tx, Action::Login, &user, traits).await?;
    let session = sessions::open(tx, user.id, "passkey").await?;
    service.commit(transaction).await?;
    session.sign(&service, &context).await
}

fn check_may_sign_in(user: &User, context: &RequestContext) -> Result<(), AuthError> {
    let given = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.is_empty());
    if given(&user.email) && user.email_confirmed_at.is_none() {
        return Err(FactorError::EmailNotConfirmed.into());
    }
    if given(&user.phone) && user.phone_confirmed_at.is_none() {
        return Err(FactorError::PhoneNotConfirmed.into());
    }
    if user.is_banned(context.now) {
        return Err(AuthError::BearerBanned);
    }
    Ok(())
}
