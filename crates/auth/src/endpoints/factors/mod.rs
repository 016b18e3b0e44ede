//! `/factors`: second factors (CONTRACT.md H30 to H33, F1 to F10). A file for each endpoint, and
//! one for each kind of factor.

/// `POST /factors`.
pub(crate) mod enroll;

/// `POST /factors/{id}/challenge`.
pub(crate) mod challenge;

/// `POST /factors/{id}/verify`.
pub(crate) mod verify;

/// `DELETE /factors/{id}`.
pub(crate) mod unenroll;

/// Codes of an authenticator application.
mod totp;

/// Security keys as second factors.
mod security_key;

/// The session that a second factor raises.
pub(crate) mod session;

use sqlx::PgConnection;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use crate::{
    guards::bearer::Bearer,
    model::factor_kind::FactorKind,
    store::{
        factors::{self, Factor},
        sessions, times,
    },
    wire::error::{AuthError, FactorError},
};

/// Time in which a challenge is answered (CONTRACT.md F3).
pub(crate) const CHALLENGE_LIFE: Duration = Duration::seconds(300);

/// Age at which a factor that was never verified counts as removed (CONTRACT.md F2).
const UNVERIFIED_LIFE: Duration = Duration::minutes(5);

/// The session of the caller. An anonymous user has no factors (CONTRACT.md B10).
pub(crate) fn session_of(bearer: &Bearer) -> Result<Uuid, AuthError> {
    if bearer.user.is_anonymous {
        return Err(FactorError::Anonymous.into());
    }
    Ok(bearer.session.ok_or(FactorError::NoSession)?)
}

/// Whether a second factor raised the session. The row counts, not the token, which outlives a
/// lowering.
pub(crate) async fn is_aal2(db: &mut PgConnection, session: Uuid) -> Result<bool, sqlx::Error> {
    Ok(matches!(sessions::aal(db, session).await?.as_deref(), Some("aal2" | "aal3")))
}

/// The factor of a path, locked. An old one that was never verified is not found (CONTRACT.md F2).
async fn usable_of_path(
    db: &mut PgConnection,
    bearer: &Bearer,
    id: &str,
    now: OffsetDateTime,
) -> Result<(Factor, FactorKind), AuthError> {
    let (factor, kind) = of_path(db, bearer, id).await?;
    if !factor.is_verified() && !times::is_since(factor.created_at, now - UNVERIFIED_LIFE) {
        return Err(FactorError::NotFound.into());
    }
    Ok((factor, kind))
}

/// The factor of a path, locked; only of the caller's own.
async fn of_path(
    db: &mut PgConnection,
    bearer: &Bearer,
    id: &str,
) -> Result<(Factor, FactorKind), AuthError> {
    let id: Uuid = id.parse().map_err(|_| FactorError::NotFound)?;
    let factor = factors::by_id_for_update(db, bearer.user.id, id).await?.ok_or(FactorError::NotFound)?;
    let kind = FactorKind::parse(&factor.kind).ok_or(FactorError::NotFound)?;
    Ok((factor, kind))
}
