//! `/passkeys`: credentials that sign in by themselves (CONTRACT.md H34 to H38, F11, F12).

/// `POST /passkeys/registration/…`.
pub(crate) mod registration;

/// `POST /passkeys/authentication/…`.
pub(crate) mod authentication;

/// `GET /passkeys`, `PATCH` and `DELETE /passkeys/{id}`.
pub(crate) mod manage;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sqlx::PgConnection;
use time::{Duration, OffsetDateTime, UtcOffset};
use uuid::Uuid;

use crate::{
    context::ServiceContext,
    endpoints::factors::{is_aal2, session_of},
    guards::bearer::Bearer,
    store::{
        factors,
        passkeys::Passkey,
        webauthn_challenges::{self, NewChallenge, Purpose, WebauthnChallenge},
    },
    tx::Tx,
    webauthn::CeremonyOptions,
    wire::{
        error::{AuthError, FactorError},
        request::RequestContext,
    },
};

/// Most passkeys of a user.
const MOST: usize = 10;
/// How long a challenge may be answered.
const CHALLENGE_LIFE: Duration = Duration::minutes(5);
/// Most bytes of a name.
const LONGEST_NAME: usize = 120;

/// Body of an answer to a challenge.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct VerifyInput {
    challenge_id: String,
    credential: Option<Value>,
    friendly_name: Option<String>,
}

impl VerifyInput {
    fn challenge(&self) -> Result<Uuid, AuthError> {
        if self.challenge_id.is_empty() {
            return Err(AuthError::validation("challenge_id is required"));
        }
        self.challenge_id.parse().map_err(|_| AuthError::validation("challenge_id must be a valid UUID"))
    }

    fn credential(&self) -> Result<&Value, AuthError> {
        self.credential.as_ref().ok_or_else(|| AuthError::validation("credential is required"))
    }
}

/// The passkey object of answers.
#[derive(Debug, Serialize)]
pub(crate) struct PasskeyBody {
    id: Uuid,
    #[serde(skip_serializing_if = "String::is_empty")]
    friendly_name: String,
    #[serde(with = "time::serde::rfc3339")]
    created_at: OffsetDateTime,
    #[serde(skip_serializing_if = "Option::is_none", with = "time::serde::rfc3339::option")]
    last_used_at: Option<OffsetDateTime>,
}

impl From<Passkey> for PasskeyBody {
    fn from(passkey: Passkey) -> Self {
        Self {
            id: passkey.id,
            friendly_name: passkey.friendly_name,
            created_at: passkey.created_at.to_offset(UtcOffset::UTC),
            last_used_at: passkey.last_used_at.map(|at| at.to_offset(UtcOffset::UTC)),
        }
    }
}

/// Refuses while passkeys are off.
fn check_enabled(service: &ServiceContext) -> Result<(), AuthError> {
    if service.settings.passkeys_enabled { Ok(()) } else { Err(FactorError::PasskeysOff.into()) }
}

/// Checks that the caller may add and remove passkeys. A user with a second factor must have used
/// it.
async fn check_may_manage(db: &mut PgConnection, bearer: &Bearer) -> Result<(), AuthError> {
    let session = session_of(bearer)?;
    let has_factor = factors::of_user(db, bearer.user.id).await?.iter().any(factors::Factor::is_verified);
    if has_factor && !is_aal2(db, session).await? {
        return Err(FactorError::PasskeysNeedAal2.into());
    }
    Ok(())
}

/// Stores a challenge, and returns it as the client reads it.
async fn begin(tx: &mut Tx<'_>, purpose: Purpose, options: &CeremonyOptions) -> Result<Value, AuthError> {
    let (id, expires_at) = (tx.service.new_id(), tx.context.now + CHALLENGE_LIFE);
    let challenge = NewChallenge { id, purpose, session_data: &options.session, expires_at };
    webauthn_challenges::insert(tx.db, &challenge, tx.context.now).await?;
    Ok(json!({"challenge_id": id, "options": options.options, "expires_at": expires_at.unix_timestamp()}))
}

/// Deletes a challenge before its answer is checked, so that there is no second answer.
async fn take(
    service: &ServiceContext,
    context: &RequestContext,
    id: Uuid,
    purpose: Purpose,
) -> Result<WebauthnChallenge, AuthError> {
    let mut connection = service.pool.acquire().await?;
    let challenge = webauthn_challenges::take(&mut connection, id, purpose).await?;
    let challenge = challenge.ok_or(FactorError::WebauthnChallengeNotFound)?;
    if challenge.expires_at < context.now {
        return Err(FactorError::WebauthnChallengeExpired.into());
    }
    Ok(challenge)
}

/// The id in a path.
fn parse_id(text: &str) -> Result<Uuid, AuthError> {
    text.parse().map_err(|_| FactorError::PasskeyNotFound.into())
}
