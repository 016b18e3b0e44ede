use std::sync::Arc;

use axum::extract::State;
use http::StatusCode;
use serde::Deserialize;
use serde_json::json;

use super::{LONGEST_NAME, PasskeyBody, check_enabled, check_may_manage, parse_id};
use crate::{
    context::ServiceContext,
    domain::audit_log::{self, Action},
    endpoints::factors::session_of,
    guards::bearer::Bearer,
    store::passkeys,
    wire::{
        error::{AuthError, FactorError},
        request::{Json, Path, RequestContext},
    },
};

/// `GET /passkeys` (CONTRACT.md H38).
pub(crate) async fn list(
    State(service): State<Arc<ServiceContext>>,
    bearer: Bearer,
) -> Result<axum::Json<Vec<PasskeyBody>>, AuthError> {
    check_enabled(&service)?;
    session_of(&bearer)?;
    let found = passkeys::of_user(&service.pool, bearer.user.id).await?;
    Ok(axum::Json(found.into_iter().map(PasskeyBody::from).collect()))
}

/// Body of a change.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Input {
    friendly_name: String,
}

/// `PATCH /passkeys/{id}` (CONTRACT.md H38): another name.
pub(crate) async fn patch(
    State(service): State<Arc<ServiceContext>>,
    bearer: Bearer,
    context: RequestContext,
    Path(id): Path<String>,
    Json(input): Json<Input>,
) -> Result<axum::Json<PasskeyBody>, AuthError> {
    check_enabled(&service)?;
    session_of(&bearer)?;
    let id = parse_id(&id)?;
    if input.friendly_name.is_empty() {
        return Err(AuthError::validation("friendly_name is required"));
    }
    if input.friendly_name.len() > LONGEST_NAME {
        return Err(AuthError::validation("friendly_name must be 120 characters or less"));
    }
    let mut transaction = service.begin(&context).await?;
    let tx = &mut transaction.tx();
    bearer.lock(tx.db, context.now).await?;
    let passkey = passkeys::by_id_for_update(tx.db, bearer.user.id, id).await?;
    let mut passkey = passkey.ok_or(FactorError::PasskeyNotFound)?;
    passkeys::rename(tx.db, id, &input.friendly_name, context.now).await?;
    passkey.friendly_name = input.friendly_name;
    let traits = json!({"passkey_id": id});
    audit_log::add_with(tx, Action::PasskeyUpdated, &bearer.user, traits).await?;
    service.commit(transaction).await?;
    Ok(axum::Json(passkey.into()))
}

/// `DELETE /passkeys/{id}` (CONTRACT.md H38).
pub(crate) async fn delete(
    State(service): State<Arc<ServiceContext>>,
    bearer: Bearer,
    context: RequestContext,
    Path(id): Path<String>,
) -> Result<StatusCode, AuthError> {
    check_enabled(&service)?;
    let id = parse_id(&id)?;
    let mut transaction = service.begin(&context).await?;
    let tx = &mut transaction.tx();
    bearer.lock(tx.db, context.now).await?;
    check_may_manage(tx.db, &bearer).await?;
    passkeys::by_id_for_update(tx.db, bearer.user.id, id).await?.ok_or(FactorError::PasskeyNotFound)?;
    passkeys::delete(tx.db, id).await?;
    let traits = json!({"passkey_id": id});
    audit_log::add_with(tx, Action::PasskeyDeleted, &bearer.user, traits).await?;
    service.commit(transaction).await?;
    Ok(StatusCode::NO_CONTENT)
}
