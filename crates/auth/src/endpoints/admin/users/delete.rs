use std::sync::Arc;

use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};

use super::parse_id;
use crate::{
    context::ServiceContext,
    domain::audit_log::{self, Action},
    guards::bearer::Admin,
    store::{soft_deletion, users},
    wire::{
        error::AuthError,
        request::{Json, Path, RequestContext},
    },
};

/// Body of a deletion.
#[derive(Debug, Deserialize)]
pub(crate) struct DeleteInput {
    should_soft_delete: Option<bool>,
}

/// `DELETE /admin/users/{id}` (CONTRACT.md H43): hard, the account and all that hangs on it by
/// cascade, in the project's own tables too (D8); or soft, so that its row stays, but nothing of it
/// says who it was or signs in (D9).
pub(crate) async fn delete(
    State(service): State<Arc<ServiceContext>>,
    _: Admin,
    Path(id): Path<String>,
    context: RequestContext,
    Json(input): Json<DeleteInput>,
) -> Result<axum::Json<Value>, AuthError> {
    let id = parse_id(&id)?;
    let mut transaction = service.begin(&context).await?;
    let tx = &mut transaction.tx();
    let user = users::by_id_for_update(tx.db, id).await?.ok_or(AuthError::UserNotFound)?;
    audit_log::add(tx, Action::UserDeleted, &user).await?;
    let saved = |error| service.save_error(error);
    if input.should_soft_delete != Some(true) {
        users::delete(tx.db, id).await.map_err(saved)?;
    } else if user.deleted_at.is_none() {
        soft_deletion::users(tx.db, id, context.now).await.map_err(saved)?;
        soft_deletion::identities(tx.db, id, context.now).await.map_err(saved)?;
        soft_deletion::proofs(tx.db, id).await.map_err(saved)?;
    }
    service.commit(transaction).await?;
    Ok(axum::Json(json!({})))
}
