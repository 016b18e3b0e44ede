use std::sync::Arc;

use axum::extract::State;
use http::StatusCode;
use serde_json::json;

use super::parse_id;
use crate::{
    context::ServiceContext,
    domain::audit_log::{self, Action},
    endpoints::passkeys::PasskeyBody,
    guards::bearer::Admin,
    store::{passkeys, users},
    wire::{
        error::{AuthError, FactorError},
        request::{Path, RequestContext},
    },
};

/// `GET /admin/users/{id}/passkeys` (CONTRACT.md H46).
pub(crate) async fn get(
    State(service): State<Arc<ServiceContext>>,
    _: Admin,
    Path(id): Path<String>,
) -> Result<axum::Json<Vec<PasskeyBody>>, AuthError> {
    let user = users::by_id(&service.pool, parse_id(&id)?).await?.ok_or(AuthError::UserNotFound)?;
    let found = passkeys::of_user(&service.pool, user.id).await?;
    Ok(axum::Json(found.into_iter().map(PasskeyBody::from).collect()))
}

/// `DELETE /admin/users/{id}/passkeys/{passkey}` (CONTRACT.md H46): for somebody who lost it.
pub(crate) async fn delete(
    State(service): State<Arc<ServiceContext>>,
    _: Admin,
    Path((id, passkey)): Path<(String, String)>,
    context: RequestContext,
) -> Result<StatusCode, AuthError> {
    let id = parse_id(&id)?;
    let passkey = passkey.parse().map_err(|_| FactorError::PasskeyNotFound)?;
    let mut transaction = service.begin(&context).await?;
    let tx = &mut transaction.tx();
    let user = users::by_id_for_update(tx.db, id).await?.ok_or(AuthError::UserNotFound)?;
    passkeys::by_id_for_update(tx.db, user.id, passkey).await?.ok_or(FactorError::PasskeyNotFound)?;
    passkeys::delete(tx.db, passkey).await?;
    let traits = json!({"user_id": user.id, "passkey_id": passkey});
    audit_log::add_with(tx, Action::PasskeyDeleted, &user, traits).await?;
    service.commit(transaction).await?;
    Ok(StatusCode::NO_CONTENT)
}
