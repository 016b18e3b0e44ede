use std::sync::Arc;

use axum::{Json, extract::State};

use crate::{
    context::ServiceContext,
    domain::accounts::{self, UserBody},
    guards::bearer::UncheckedBearer,
    wire::error::AuthError,
};

/// `GET /user` (CONTRACT.md H20): the account of the bearer token.
pub(crate) async fn get(
    State(service): State<Arc<ServiceContext>>,
    credentials: UncheckedBearer,
) -> Result<Json<UserBody>, AuthError> {
    let (account, _) = credentials.account(&service).await?;
    Ok(Json(accounts::body(account.user, Some(account.identities))))
}
