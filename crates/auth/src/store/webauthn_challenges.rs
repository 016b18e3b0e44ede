use serde_json::Value;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::times::At;

/// A challenge of a passkey.
#[derive(Debug)]
pub(crate) struct WebauthnChallenge {
    pub(crate) session_data: Value,
    pub(crate) expires_at: OffsetDateTime,
}

/// What a challenge of a passkey is for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Purpose {
    /// A new passkey of this user.
    Registration(Uuid),
    /// A sign-in of whoever has the passkey.
    Authentication,
}

impl Purpose {
    fn name(self) -> &'static str {
        match self {
            Self::Registration(_) => "registration",
            Self::Authentication => "authentication",
        }
    }

    fn user(self) -> Option<Uuid> {
        match self {
            Self::Registration(user) => Some(user),
            Self::Authentication => None,
        }
    }
}

/// A challenge to store.
pub(crate) struct NewChallenge<'a> {
    pub(crate) id: Uuid,
    pub(crate) purpose: Purpose,
    pub(crate) session_data: &'a Value,
    pub(crate) expires_at: OffsetDateTime,
}

pub(crate) async fn insert(
    db: &mut PgConnection,
    challenge: &NewChallenge<'_>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into auth.webauthn_challenges (id, user_id, challenge_type, session_data, created_at, expires_at)
        values ($1, $2, $3, $4, $5, $6)",
        challenge.id,
        challenge.purpose.user(),
        challenge.purpose.name(),
        challenge.session_data,
        now,
        challenge.expires_at,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Deletes a challenge, so that it is answered once.
pub(crate) async fn take(
    db: &mut PgConnection,
    id: Uuid,
    purpose: Purpose,
) -> Result<Option<WebauthnChallenge>, sqlx::Error> {
    sqlx::query_as!(
        WebauthnChallenge,
        r#"delete from auth.webauthn_challenges
        where id = $1 and user_id is not distinct from $2 and challenge_type = $3
        returning session_data, expires_at as "expires_at!: At""#,
        id,
        purpose.user(),
        purpose.name(),
    )
    .fetch_optional(db)
    .await
}
