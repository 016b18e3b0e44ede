//! `/admin/users/{id}/sessions`: where a user is signed in (CONTRACT.md C11).

use std::sync::Arc;

use axum::{Json, extract::State};
use http::StatusCode;
use serde_json::{Value, json};
use uuid::Uuid;

use super::parse_id;
use crate::{
    context::ServiceContext,
    domain::{
        accounts,
        audit_log::{self, Action},
    },
    guards::bearer::Admin,
    store::{flow_states, sessions, users},
    wire::{
        error::{AccountError, AuthError},
        request::{Path, RequestContext},
    },
};

/// `GET /admin/users/{id}/sessions`.
pub(crate) async fn get(
    State(service): State<Arc<ServiceContext>>,
    _: Admin,
    Path(id): Path<String>,
) -> Result<Json<Value>, AuthError> {
    let user = users::by_id(&service.pool, parse_id(&id)?).await?.ok_or(AuthError::UserNotFound)?;
    Ok(Json(json!({"sessions": sessions::of_user(&service.pool, user.id).await?})))
}

/// `DELETE /admin/users/{id}/sessions/{session}`.
///
/// # Errors
/// 404 `session_not_found` for a session that is none of the user's.
pub(crate) async fn delete(
    State(service): State<Arc<ServiceContext>>,
    _: Admin,
    Path((id, session)): Path<(String, String)>,
    context: RequestContext,
) -> Result<StatusCode, AuthError> {
    let session: Uuid = session.parse().map_err(|_| AccountError::SessionUnknown)?;
    let mut transaction = service.begin(&context).await?;
    let tx = &mut transaction.tx();
    let user = users::by_id(&mut *tx.db, parse_id(&id)?).await?.ok_or(AuthError::UserNotFound)?;
    // Before the session: whoever changes an account locks it first, too.
    accounts::void_changes(tx, user.id).await?;
    if !sessions::delete_one_of_user(tx.db, user.id, session).await? {
        return Err(AccountError::SessionUnknown.into());
    }
    flow_states::end_links_of_user(tx.db, user.id).await?;
    audit_log::add(tx, Action::Logout, &user).await?;
    service.commit(transaction).await?;
    Ok(StatusCode::NO_CONTENT)
}
