use std::sync::Arc;

use axum::extract::State;

use super::parse_id;
use crate::{
    context::ServiceContext,
    domain::accounts::{self, UserBody},
    guards::bearer::Admin,
    store::users,
    wire::{error::AuthError, request::Path},
};

/// `GET /admin/users/{id}` (CONTRACT.md H42).
pub(crate) async fn get(
    State(service): State<Arc<ServiceContext>>,
    _: Admin,
    Path(id): Path<String>,
) -> Result<axum::Json<UserBody>, AuthError> {
    let user = users::by_id(&service.pool, parse_id(&id)?).await?.ok_or(AuthError::UserNotFound)?;
    Ok(axum::Json(accounts::show(&service.pool, user).await?))
}
