use std::sync::Arc;

use axum::{Json, extract::State};

use crate::{
    accounts::{self, UserBody},
    bearer::Bearer,
    error::AuthError,
    state::Inner,
};

/// `GET /user` (auth.md H20): the account of the bearer token.
pub(crate) async fn get(
    State(inner): State<Arc<Inner>>,
    bearer: Bearer,
) -> Result<Json<UserBody>, AuthError> {
    Ok(Json(accounts::show(&inner.pool, bearer.user).await?))
}
