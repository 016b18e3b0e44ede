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

pub(crate) async fn insert(
    db: &mut PgConnection,
    id: Uuid,
    user: Option<Uuid>,
    kind: &str,
    session_data: &Value,
    (now, expires_at): (OffsetDateTime, OffsetDateTime),
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into auth.webauthn_challenges (id, user_id, challenge_type, session_data, created_at, expires_at)
        values ($1, $2, $3, $4, $5, $6)",
        id,
        user,
        kind,
        session_data,
        now,
        expires_at,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Deletes a challenge, so that it is answered once.
pub(crate) async fn take(
    db: &mut PgConnection,
    id: Uuid,
    user: Option<Uuid>,
    kind: &str,
) -> Result<Option<WebauthnChallenge>, sqlx::Error> {
    sqlx::query_as!(
        WebauthnChallenge,
        r#"delete from auth.webauthn_challenges
        where id = $1 and user_id is not distinct from $2 and challenge_type = $3
        returning session_data, expires_at as "expires_at!: At""#,
        id,
        user,
        kind,
    )
    .fetch_optional(db)
    .await
}
