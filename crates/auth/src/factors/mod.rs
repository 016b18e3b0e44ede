//! `/factors`: second factors (auth.md sections 8.2 and 20). A file for each endpoint, and one for each kind of factor.

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

/// Wrong codes in a row.
mod factor_tries;

/// The session that a second factor raises.
pub(crate) mod session;

use serde::Serialize;
use serde_json::Value;
use sqlx::PgConnection;
use time::{Duration, OffsetDateTime, UtcOffset};
use uuid::Uuid;

use crate::{
    bearer::Bearer,
    error::{AuthError, FactorError},
    store::{
        factors::{self, Factor, OwnFactor},
        sessions, times,
    },
};

/// Time in which a challenge is answered (auth.md F3).
pub(crate) const CHALLENGE_LIFE: Duration = Duration::seconds(300);

/// Age at which a factor that was never verified counts as removed (auth.md F2).
const UNVERIFIED_LIFE: Duration = Duration::minutes(5);

/// What a second factor is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FactorKind {
    Totp,
    Phone,
    WebAuthn,
}

impl FactorKind {
    /// The kind of a name in requests and tables.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        [Self::Totp, Self::Phone, Self::WebAuthn].into_iter().find(|kind| kind.name() == name)
    }

    /// Its name in requests and tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Totp => "totp",
            Self::Phone => "phone",
            Self::WebAuthn => "webauthn",
        }
    }

    /// The method that it adds to a session (auth.md T13).
    pub(crate) fn method(self) -> &'static str {
        match self {
            Self::Totp => "totp",
            Self::Phone => "mfa/phone",
            Self::WebAuthn => "mfa/webauthn",
        }
    }

    /// Error code while enrolling is off.
    pub(crate) fn enroll_off_code(self) -> &'static str {
        match self {
            Self::Totp => "mfa_totp_enroll_not_enabled",
            Self::Phone => "mfa_phone_enroll_not_enabled",
            Self::WebAuthn => "mfa_webauthn_enroll_not_enabled",
        }
    }

    /// Error code while verifying is off.
    pub(crate) fn verify_off_code(self) -> &'static str {
        match self {
            Self::Totp => "mfa_totp_verify_not_enabled",
            Self::Phone => "mfa_phone_verify_not_enabled",
            Self::WebAuthn => "mfa_webauthn_verify_not_enabled",
        }
    }

    /// What the project lets its users do with it.
    fn switches(self, settings: &banyan_config::Auth) -> banyan_config::FactorSwitches {
        match self {
            Self::Totp => settings.mfa.totp,
            Self::Phone => settings.mfa.phone,
            Self::WebAuthn => settings.mfa.web_authn,
        }
    }
}

impl std::fmt::Display for FactorKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Totp => "TOTP",
            Self::Phone => "Phone",
            Self::WebAuthn => "WebAuthn",
        })
    }
}

/// The factor object of answers (auth.md O24, O25).
#[derive(Debug, Serialize)]
pub(crate) struct FactorBody {
    id: Uuid,
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
    #[serde(with = "time::serde::rfc3339")]
    updated_at: OffsetDateTime,
    status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    friendly_name: Option<String>,
    factor_type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    phone: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", with = "time::serde::rfc3339::option")]
    last_challenged_at: Option<OffsetDateTime>,
    #[serde(skip_serializing_if = "Option::is_none")]
    web_authn_aaguid: Option<Uuid>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_webauthn_challenge_data: Option<Value>,
}

impl From<OwnFactor> for FactorBody {
    fn from(factor: OwnFactor) -> Self {
        let given = |text: Option<String>| text.filter(|text| !text.is_empty());
        Self {
            id: factor.id,
            created_at: factor.created_at.to_offset(UtcOffset::UTC),
            updated_at: factor.updated_at.to_offset(UtcOffset::UTC),
            status: factor.status,
            friendly_name: given(factor.friendly_name),
            factor_type: factor.factor_type,
            phone: given(factor.phone),
            last_challenged_at: factor.last_challenged_at.map(|at| at.to_offset(UtcOffset::UTC)),
            web_authn_aaguid: factor.web_authn_aaguid,
            last_webauthn_challenge_data: factor.last_webauthn_challenge_data,
        }
    }
}

impl From<Factor> for FactorBody {
    fn from(factor: Factor) -> Self {
        Self::from(OwnFactor {
            id: factor.id,
            friendly_name: factor.friendly_name,
            factor_type: factor.kind,
            status: factor.status,
            created_at: factor.created_at,
            updated_at: factor.updated_at,
            phone: factor.phone,
            last_challenged_at: factor.last_challenged_at,
            web_authn_aaguid: factor.web_authn_aaguid,
            last_webauthn_challenge_data: factor.last_webauthn_challenge_data,
        })
    }
}

/// The session of a caller who is somebody: an anonymous user has no factors (auth.md B10).
pub(crate) fn session_of(bearer: &Bearer) -> Result<Uuid, AuthError> {
    if bearer.user.is_anonymous {
        return Err(FactorError::Anonymous.into());
    }
    Ok(bearer.session.ok_or(FactorError::NoSession)?)
}

/// Whether a session was raised by a second factor. The row counts, not the token, which outlives a lowering.
pub(crate) async fn is_aal2(db: &mut PgConnection, session: Uuid) -> Result<bool, sqlx::Error> {
    Ok(matches!(sessions::aal(db, session).await?.as_deref(), Some("aal2" | "aal3")))
}

/// The factor of a path that may be asked for something, locked: one that was begun long ago and never verified may not
/// (auth.md F2).
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
