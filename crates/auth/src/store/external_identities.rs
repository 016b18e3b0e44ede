//! Identities at providers.

use serde_json::Value;
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

/// Takes a lock until the transaction ends, so that one request at a time decides about an identity
/// or an address.
pub(crate) async fn lock(db: &mut PgConnection, key: i64) -> Result<(), sqlx::Error> {
    sqlx::query!("select pg_advisory_xact_lock($1)", key).execute(db).await?;
    Ok(())
}

/// Id and account of an identity at a provider.
pub(crate) async fn find(
    executor: impl PgExecutor<'_>,
    provider: &str,
    provider_id: &str,
) -> Result<Option<(Uuid, Uuid)>, sqlx::Error> {
    let row = sqlx::query!(
        "select id, user_id from auth.identities where provider = $1 and provider_id = $2",
        provider,
        provider_id,
    )
    .fetch_optional(executor)
    .await?;
    Ok(row.map(|row| (row.id, row.user_id)))
}

/// Updates an identity with the latest data of its provider.
pub(crate) async fn renew(
    db: &mut PgConnection,
    id: Uuid,
    data: &Value,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update auth.identities
        set identity_data = $2, last_sign_in_at = $3, updated_at = $3
        where id = $1",
        id,
        data,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// The accounts with an identity of a verified address, except those of single sign-on, which link
/// to nothing (CONTRACT.md G13).
pub(crate) async fn accounts_of_verified_email(
    executor: impl PgExecutor<'_>,
    email: &str,
) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar!(
        "select distinct identities.user_id
        from auth.identities
        join auth.users on users.id = identities.user_id
        where identities.email = $1
            and identities.provider not like 'sso:%'
            and identities.identity_data -> 'email_verified' = 'true'
            and users.is_sso_user = false
        limit 2",
        email,
    )
    .fetch_all(executor)
    .await
}

pub(crate) async fn delete(db: &mut PgConnection, id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from auth.identities where id = $1", id).execute(db).await?;
    Ok(())
}
