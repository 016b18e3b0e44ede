//! `/user/sessions`: where the caller is signed in (CONTRACT.md C11).

use std::sync::Arc;

use axum::{Json, extract::State};
use http::StatusCode;
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    context::ServiceContext,
    domain::{
        accounts,
        audit_log::{self, Action},
    },
    guards::bearer::Bearer,
    store::{
        flow_states,
        sessions::{self, ShownSession},
    },
    wire::{
        error::{AccountError, AuthError},
        request::{Path, RequestContext},
    },
};

/// A session, and whether it is that of the request.
#[derive(Debug, Serialize)]
pub(crate) struct Entry {
    #[serde(flatten)]
    session: ShownSession,
    current: bool,
}

/// `GET /user/sessions`: all of the user's sessions, the newest first.
pub(crate) async fn get(
    State(service): State<Arc<ServiceContext>>,
    bearer: Bearer,
) -> Result<Json<Value>, AuthError> {
    let all = sessions::of_user(&service.pool, bearer.user.id).await?;
    let entry = |session: ShownSession| Entry { current: bearer.session == Some(session.id), session };
    let all: Vec<Entry> = all.into_iter().map(entry).collect();
    Ok(Json(json!({"sessions": all})))
}

/// `DELETE /user/sessions/{id}`: ends one of them. Its refresh tokens end at once, and so do
/// pending changes of address and number.
///
/// # Errors
/// 404 `session_not_found` for a session of nobody or of another user.
pub(crate) async fn delete(
    State(service): State<Arc<ServiceContext>>,
    bearer: Bearer,
    Path(id): Path<String>,
    context: RequestContext,
) -> Result<StatusCode, AuthError> {
    let id: Uuid = id.parse().map_err(|_| AccountError::SessionUnknown)?;
    let mut transaction = service.begin(&context).await?;
    let tx = &mut transaction.tx();
    // Before the session: an account is locked before its sessions.
    accounts::void_changes(tx, bearer.user.id).await?;
    if !sessions::delete_one_of_user(tx.db, bearer.user.id, id).await? {
        return Err(AccountError::SessionUnknown.into());
    }
    flow_states::end_links_of_user(tx.db, bearer.user.id).await?;
    audit_log::add(tx, Action::Logout, &bearer.user).await?;
    service.commit(transaction).await?;
    Ok(StatusCode::NO_CONTENT)
}
