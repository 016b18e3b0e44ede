//! Who calls (auth.md section 2).

use std::sync::Arc;

use axum::extract::{FromRef, FromRequestParts};
use banyan_identity::TokenError;
use http::{header::AUTHORIZATION, request::Parts};
use uuid::Uuid;

use crate::{
    error::AuthError,
    request::arrival,
    router::Shared,
    state::Inner,
    store::users::{self, User},
};

/// A signed-in user: the account exists, is not banned, and the session of the token still exists.
#[derive(Debug, Clone)]
pub(crate) struct Bearer {
    pub(crate) user: User,
    pub(crate) session: Option<Uuid>,
}

impl FromRequestParts<Shared> for Bearer {
    type Rejection = AuthError;

    async fn from_request_parts(parts: &mut Parts, shared: &Shared) -> Result<Self, AuthError> {
        let arrival = arrival(parts)?;
        if !parts.headers.contains_key(AUTHORIZATION) && !parts.headers.contains_key("apikey") {
            return Err(AuthError::NoAuthorization);
        }
        let caller = arrival.caller.map_err(refusal)?;
        let claims = caller.claims();
        let subject = claims.text("sub").filter(|sub| !sub.is_empty());
        let id: Uuid = subject
            .ok_or(AuthError::BadClaim("missing sub claim"))?
            .parse()
            .map_err(|_| AuthError::SubjectNoUuid)?;
        let session = match claims.text("session_id").filter(|id| !id.is_empty()) {
            None => None,
            Some(id) => Some(id.parse().map_err(|_| AuthError::BadClaim("session_id claim must be a UUID"))?),
        };
        let inner = Arc::<Inner>::from_ref(shared);
        let user = find(&inner, id, session).await?;
        if user.is_banned(arrival.now) {
            return Err(AuthError::BearerBanned);
        }
        Ok(Self { user, session })
    }
}

/// One look for user and session; a second only to say which of them is missing.
async fn find(inner: &Inner, id: Uuid, session: Option<Uuid>) -> Result<User, AuthError> {
    if let Some(user) = users::by_bearer(&inner.pool, id, session).await? {
        return Ok(user);
    }
    Err(match users::by_id(&inner.pool, id).await? {
        Some(_) => AuthError::BearerSessionNotFound,
        None => AuthError::BearerUserNotFound,
    })
}

/// The holder of a service key (auth.md B8).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Admin;

impl FromRequestParts<Shared> for Admin {
    type Rejection = AuthError;

    async fn from_request_parts(parts: &mut Parts, _: &Shared) -> Result<Self, AuthError> {
        let arrival = arrival(parts)?;
        if !parts.headers.contains_key(AUTHORIZATION) && !parts.headers.contains_key("apikey") {
            return Err(AuthError::NoAuthorization);
        }
        let caller = arrival.caller.map_err(refusal)?;
        if caller.claims().text("role") == Some("service_role") { Ok(Self) } else { Err(AuthError::NotAdmin) }
    }
}

fn refusal(error: TokenError) -> AuthError {
    match error {
        TokenError::Empty | TokenError::Scheme | TokenError::NoApiKey => AuthError::NoAuthorization,
        refused => AuthError::BadJwt(refused.to_string()),
    }
}
