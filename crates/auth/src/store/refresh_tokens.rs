//! Tokens of the older form, one row each. Only imported databases have them.

use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

use super::times::MaybeAt;

/// A token of the older form and its session.
#[derive(Debug)]
pub(crate) struct StoredToken {
    pub(crate) session_id: Option<Uuid>,
    pub(crate) revoked: bool,
    pub(crate) updated_at: Option<OffsetDateTime>,
}

pub(crate) async fn by_token(
    executor: impl PgExecutor<'_>,
    token: &str,
) -> Result<Option<StoredToken>, sqlx::Error> {
    sqlx::query_as!(
        StoredToken,
        r#"select session_id, coalesce(revoked, false) as "revoked!", updated_at as "updated_at!: MaybeAt"
        from auth.refresh_tokens
        where token = $1"#,
        token,
    )
    .fetch_optional(executor)
    .await
}

/// Whether the current token of its session replaced this one.
pub(crate) async fn is_parent_of_active(
    executor: impl PgExecutor<'_>,
    token: &str,
    session: Uuid,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select exists (
            select
            from auth.refresh_tokens
            where session_id = $2 and parent = $1 and coalesce(revoked, false) = false
        ) as "is_parent!""#,
        token,
        session,
    )
    .fetch_one(executor)
    .await
}

/// Uses up the tokens of a session.
pub(crate) async fn revoke_of_session(
    db: &mut PgConnection,
    session: Uuid,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update auth.refresh_tokens
        set revoked = true, updated_at = $2
        where session_id = $1 and coalesce(revoked, false) = false",
        session,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}
