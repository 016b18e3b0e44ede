use std::sync::Arc;

use axum::{Json, extract::State};
use http::HeaderMap;

use crate::{
    accounts::{self, UserBody},
    bearer::Presented,
    error::{AuthError, SessionError},
    state::Inner,
};

/// `GET /user` (auth.md H20): the account of the bearer token.
pub(crate) async fn get(
    State(inner): State<Arc<Inner>>,
    presented: Presented,
    headers: HeaderMap,
) -> Result<Json<UserBody>, AuthError> {
    let (account, _) = presented.account(&inner).await?;
    // A client may name the audience it works for (auth.md W13).
    let wanted =
        headers.get("x-jwt-aud").and_then(|value| value.to_str().ok()).filter(|name| !name.is_empty());
    if wanted.is_some_and(|wanted| account.user.aud.as_deref() != Some(wanted)) {
        return Err(SessionError::Audience.into());
    }
    Ok(Json(accounts::body(account.user, Some(account.identities))))
}
