use std::sync::Arc;

use axum::extract::State;
use serde_json::{Value, json};

use super::{LONGEST_NAME, MOST, PasskeyBody, VerifyInput, begin, check_enabled, check_may_manage, take};
use crate::{
    context::ServiceContext,
    domain::audit_log::{self, Action},
    guards::bearer::Bearer,
    rate_limit::Limit,
    store::{
        passkeys::{self, NewPasskey},
        webauthn_challenges::Purpose,
    },
    webauthn::{Ceremony, name_of},
    wire::{
        error::{AuthError, FactorError},
        request::{Json, RequestContext},
    },
};

/// `POST /passkeys/registration/options` (CONTRACT.md H34).
pub(crate) async fn options(
    State(service): State<Arc<ServiceContext>>,
    bearer: Bearer,
    context: RequestContext,
) -> Result<axum::Json<Value>, AuthError> {
    service.limits.take(Limit::Passkey, &context.client_key(), context.now)?;
    check_enabled(&service)?;
    let mut transaction = service.begin(&context).await?;
    let tx = &mut transaction.tx();
    check_may_register(tx.db, &bearer).await?;
    let known = passkeys::of_user(&mut *tx.db, bearer.user.id).await?;
    if known.len() >= MOST {
        return Err(FactorError::TooManyPasskeys.into());
    }
    let known: Vec<Vec<u8>> = known.into_iter().map(|passkey| passkey.credential_id).collect();
    let question = Ceremony::of(&service.settings)?.ask_for_new(&bearer.user, &known, true)?;
    let body = begin(tx, Purpose::Registration(bearer.user.id), &question).await?;
    service.commit(transaction).await?;
    Ok(axum::Json(body))
}

/// `POST /passkeys/registration/verify` (CONTRACT.md H35).
pub(crate) async fn verify(
    State(service): State<Arc<ServiceContext>>,
    bearer: Bearer,
    context: RequestContext,
    Json(input): Json<VerifyInput>,
) -> Result<axum::Json<PasskeyBody>, AuthError> {
    service.limits.take(Limit::Passkey, &context.client_key(), context.now)?;
    check_enabled(&service)?;
    let (id, answer) = (input.challenge()?, input.credential()?);
    let challenge = take(&service, &context, id, Purpose::Registration(bearer.user.id)).await?;
    let credential = Ceremony::of(&service.settings)?.check_new(&challenge.session_data, answer)?;
    let given = input.friendly_name.as_deref().map(str::trim).filter(|name| !name.is_empty());
    let name = given.unwrap_or_else(|| name_of(credential.aaguid));
    if name.len() > LONGEST_NAME {
        return Err(AuthError::validation("friendly_name must be 120 characters or less"));
    }
    let mut transaction = service.begin(&context).await?;
    let tx = &mut transaction.tx();
    // Passkeys of one user are added one after the other, or their number would not be limited. A
    // first second factor that is verified at the same time must be seen, because the session would
    // have to show it.
    bearer.lock(tx.db, context.now).await?;
    check_may_register(tx.db, &bearer).await?;
    if passkeys::of_user(&mut *tx.db, bearer.user.id).await?.len() >= MOST {
        return Err(FactorError::TooManyPasskeys.into());
    }
    let (id, user) = (service.new_id(), bearer.user.id);
    let new = NewPasskey { id, user, credential: &credential, friendly_name: name };
    if !passkeys::insert(tx.db, &new, context.now).await? {
        return Err(FactorError::CredentialExists.into());
    }
    let traits = json!({"passkey_id": id});
    audit_log::add_with(tx, Action::PasskeyCreated, &bearer.user, traits).await?;
    let passkey = passkeys::by_id_for_update(tx.db, user, id).await?;
    let passkey = passkey.ok_or(FactorError::PasskeyNotFound)?;
    service.commit(transaction).await?;
    Ok(axum::Json(passkey.into()))
}

async fn check_may_register(db: &mut sqlx::PgConnection, bearer: &Bearer) -> Result<(), AuthError> {
    if bearer.user.is_sso_user {
        return Err(FactorError::SsoPasskey.into());
    }
    check_may_manage(db, bearer).await
}
