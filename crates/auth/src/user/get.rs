use std::sync::Arc;

use axum::{Json, extract::State};

use crate::{
    accounts::{self, UserBody},
    bearer::Presented,
    error::AuthError,
    state::Inner,
};

/// `GET /user` (CONTRACT.md H20): the account of the bearer token.
pub(crate) async fn get(
    State(inner): State<Arc<Inner>>,
    presented: Presented,
) -> Result<Json<UserBody>, AuthError> {
    let (account, _) = presented.account(&inner).await?;
    Ok(Json(accounts::body(account.user, Some(account.identities))))
}
