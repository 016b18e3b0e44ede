use std::sync::Arc;

use axum::extract::{Path, State};
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    accounts::{self, UserBody},
    bearer::Admin,
    error::AuthError,
    request::{Context, Json},
    state::Inner,
    store::{
        audit::{self, Action},
        users,
    },
};

/// Body of a deletion.
#[derive(Debug, Deserialize)]
pub(crate) struct DeleteInput {
    should_soft_delete: Option<bool>,
}

/// `GET /admin/users/{id}` (auth.md H42).
pub(crate) async fn get(
    State(inner): State<Arc<Inner>>,
    _: Admin,
    Path(id): Path<String>,
) -> Result<axum::Json<UserBody>, AuthError> {
    let user = users::by_id(&inner.pool, parse_id(&id)?).await?.ok_or(AuthError::UserNotFound)?;
    Ok(axum::Json(accounts::show(&inner.pool, user).await?))
}

/// `DELETE /admin/users/{id}` (auth.md H43, D8): the account and all that hangs on it by cascade, in the project's own
/// tables too.
pub(crate) async fn delete(
    State(inner): State<Arc<Inner>>,
    _: Admin,
    Path(id): Path<String>,
    context: Context,
    Json(input): Json<DeleteInput>,
) -> Result<axum::Json<Value>, AuthError> {
    if input.should_soft_delete == Some(true) {
        return Err(AuthError::validation("Soft deletion is not available"));
    }
    let id = parse_id(&id)?;
    let mut transaction = inner.pool.begin().await?;
    let db = &mut *transaction;
    let user = users::by_id_for_update(db, id).await?.ok_or(AuthError::UserNotFound)?;
    audit::add(db, inner.new_id(), Action::UserDeleted, &user, &context).await?;
    users::delete(db, id).await.map_err(|error| AuthError::saving(error, inner.explains))?;
    inner.commit(transaction).await?;
    Ok(axum::Json(json!({})))
}

/// The id in a path (auth.md D12).
pub(super) fn parse_id(text: &str) -> Result<Uuid, AuthError> {
    text.parse().map_err(|_| AuthError::PathNoUuid)
}
