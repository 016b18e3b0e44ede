//! Who calls (CONTRACT.md B1 to B11).

use std::sync::Arc;

use axum::extract::{FromRef, FromRequestParts};
use banyan_identity::{Credentials, Identified, Proof};
use http::{header::AUTHORIZATION, request::Parts};
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    context::{RouterContext, ServiceContext},
    domain::sessions::lifetime,
    store::{
        pipelines::{self, Account},
        sessions,
        users::{self, User},
    },
    wire::{
        error::{AuthError, IdentityError, SessionError},
        request::{GatewayInfo, gateway_info},
    },
};

/// A signed-in user: the account exists, is not banned, and the session of the token still exists.
#[derive(Debug, Clone)]
pub(crate) struct Bearer {
    pub(crate) user: User,
    pub(crate) session: Option<Uuid>,
}

impl Bearer {
    /// Reads and locks the account, before anything else of it changes. A sign-out or a ban that
    /// came after the bearer check counts.
    ///
    /// # Errors
    /// Those of CONTRACT.md B5 and B6 for an account or a session that is gone, and B7 for a ban.
    pub(crate) async fn lock(&self, db: &mut PgConnection, now: OffsetDateTime) -> Result<User, AuthError> {
        let user = users::by_id_for_update(db, self.user.id).await?.ok_or(AuthError::BearerUserNotFound)?;
        if user.is_banned(now) {
            return Err(AuthError::BearerBanned);
        }
        match self.session {
            Some(session) if sessions::by_id(db, session).await?.is_none() => {
                Err(AuthError::BearerSessionNotFound)
            }
            _ => Ok(user),
        }
    }

    /// As [`Bearer::lock`], for a user who links or unlinks an identity. An identity signs in, so a
    /// second factor of the account must be shown (CONTRACT.md U13).
    ///
    /// # Errors
    /// As [`Bearer::lock`]; 401 `insufficient_aal`.
    pub(crate) async fn lock_to_link(
        &self,
        db: &mut PgConnection,
        now: OffsetDateTime,
    ) -> Result<User, AuthError> {
        let user = self.lock(&mut *db, now).await?;
        if self.lacks_second_factor(db).await? {
            return Err(IdentityError::NeedsAal2.into());
        }
        Ok(user)
    }

    /// Whether the account has a verified second factor that the session did not show.
    pub(crate) async fn lacks_second_factor(
        &self,
        executor: impl PgExecutor<'_>,
    ) -> Result<bool, sqlx::Error> {
        sessions::lacks_second_factor(executor, self.user.id, self.session).await
    }
}

impl FromRequestParts<RouterContext> for Bearer {
    type Rejection = AuthError;

    async fn from_request_parts(parts: &mut Parts, shared: &RouterContext) -> Result<Self, AuthError> {
        UncheckedBearer::from_request_parts(parts, shared)
            .await?
            .check(&Arc::<ServiceContext>::from_ref(shared))
            .await
    }
}

/// The bearer of a request, not checked yet. For endpoints that need a user only sometimes.
#[derive(Clone)]
pub(crate) struct UncheckedBearer {
    gateway_info: GatewayInfo,
    has_key: bool,
    has_token: bool,
}

impl FromRequestParts<RouterContext> for UncheckedBearer {
    type Rejection = AuthError;

    async fn from_request_parts(parts: &mut Parts, _: &RouterContext) -> Result<Self, AuthError> {
        let gateway_info = gateway_info(parts)?;
        let has_token = has_token(&gateway_info.caller, parts);
        let api_key = parts.headers.get("apikey");
        let has_key = api_key.is_some_and(|key| key.as_bytes().starts_with(b"sb_"));
        Ok(Self { gateway_info, has_key, has_token })
    }
}

/// Whether `Authorization` has a token, accepted or refused. A key in it is none.
fn has_token(caller: &Identified, parts: &Parts) -> bool {
    match caller {
        Ok(caller) => caller.proof() == Proof::Authorization,
        Err(_) => parts.headers.contains_key(AUTHORIZATION) && !has_key_for_token(parts),
    }
}

/// Whether `Authorization: Bearer` has a key of the project in place of a token.
fn has_key_for_token(parts: &Parts) -> bool {
    let credentials = Credentials::from_headers(&parts.headers);
    let bearer = credentials.as_ref().ok().and_then(|it| it.text(Proof::Authorization));
    bearer.is_some_and(|token| token.starts_with("sb_"))
}

impl UncheckedBearer {
    /// Whether `Authorization` has a token. A key is no token (CONTRACT.md W3).
    pub(crate) fn has_token(&self) -> bool {
        self.has_token
    }

    /// The signed-in user.
    ///
    /// # Errors
    /// As CONTRACT.md B1 to B7 say.
    pub(crate) async fn check(self, service: &ServiceContext) -> Result<Bearer, AuthError> {
        let (Account { user, .. }, session) = self.account(service).await?;
        Ok(Bearer { user, session })
    }

    /// The signed-in user with all identities, and the session of the token.
    ///
    /// # Errors
    /// As [`UncheckedBearer::check`].
    pub(crate) async fn account(
        self,
        service: &ServiceContext,
    ) -> Result<(Account, Option<Uuid>), AuthError> {
        if !self.has_token && !self.has_key {
            return Err(AuthError::NoAuthorization);
        }
        let caller = self.gateway_info.caller?;
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
        let account = find(service, id, session).await?;
        if account.user.is_banned(self.gateway_info.now) {
            return Err(AuthError::BearerBanned);
        }
        Ok((account, session))
    }
}

/// One statement finds user, session and identities (CONTRACT.md B11).
async fn find(service: &ServiceContext, id: Uuid, session: Option<Uuid>) -> Result<Account, AuthError> {
    match pipelines::of_bearer(&service.database, id, session).await? {
        Some((account, true)) => Ok(account),
        Some((_, false)) => Err(AuthError::BearerSessionNotFound),
        None => Err(AuthError::BearerUserNotFound),
    }
}

/// The holder of a service key (CONTRACT.md B8).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Admin;

impl FromRequestParts<RouterContext> for Admin {
    type Rejection = AuthError;

    async fn from_request_parts(parts: &mut Parts, shared: &RouterContext) -> Result<Self, AuthError> {
        let gateway_info = gateway_info(parts)?;
        if !parts.headers.contains_key(AUTHORIZATION) && !parts.headers.contains_key("apikey") {
            return Err(AuthError::NoAuthorization);
        }
        let caller = gateway_info.caller?;
        if caller.claims().text("role") != Some("service_role") {
            return Err(AuthError::NotAdmin);
        }
        if let Some(session) = caller.claims().text("session_id").filter(|id| !id.is_empty()) {
            check_admin_session(&Arc::<ServiceContext>::from_ref(shared), session, gateway_info.now).await?;
        }
        Ok(Self)
    }
}

/// A token of an admin role that names a session counts only while the session does (CONTRACT.md
/// B9).
async fn check_admin_session(
    service: &ServiceContext,
    id: &str,
    now: OffsetDateTime,
) -> Result<(), AuthError> {
    let id: Uuid = id.parse().map_err(|_| AuthError::BadClaim("session_id claim must be a UUID"))?;
    let session = sessions::by_id(&service.pool, id).await?.ok_or(SessionError::OfAdminExpired)?;
    lifetime::check(&service.settings.sessions, &session, None, now)
        .map_err(|_| SessionError::OfAdminExpired.into())
}
