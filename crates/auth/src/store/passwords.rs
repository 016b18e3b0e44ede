//! The column `encrypted_password` of `auth.users`; nothing else reads it.

use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

/// A user and the stored hash. The hash is empty if there is none.
#[derive(Debug)]
pub(crate) struct StoredPassword {
    pub(crate) user_id: Uuid,
    pub(crate) hash: String,
}

/// The password of an address in lower case.
pub(crate) async fn of_email(
    executor: impl PgExecutor<'_>,
    email: &str,
) -> Result<Option<StoredPassword>, sqlx::Error> {
    sqlx::query_as!(
        StoredPassword,
        r#"select id as user_id, coalesce(encrypted_password, '') as "hash!"
        from auth.users
        where instance_id = '00000000-0000-0000-0000-000000000000'
            and lower(email) = $1
            and aud = 'authenticated'
            and is_sso_user = false"#,
        email,
    )
    .fetch_optional(executor)
    .await
}

/// The password of a number.
pub(crate) async fn of_phone(
    executor: impl PgExecutor<'_>,
    phone: &str,
) -> Result<Option<StoredPassword>, sqlx::Error> {
    sqlx::query_as!(
        StoredPassword,
        r#"select id as user_id, coalesce(encrypted_password, '') as "hash!"
        from auth.users
        where instance_id = '00000000-0000-0000-0000-000000000000'
            and phone = $1
            and aud = 'authenticated'
            and is_sso_user = false"#,
        phone,
    )
    .fetch_optional(executor)
    .await
}

/// The password of a user.
pub(crate) async fn of_user(executor: impl PgExecutor<'_>, user: Uuid) -> Result<String, sqlx::Error> {
    let hash = sqlx::query_scalar!(
        r#"select coalesce(encrypted_password, '') as "hash!" from auth.users where id = $1"#,
        user,
    )
    .fetch_optional(executor)
    .await?;
    Ok(hash.unwrap_or_default())
}

/// Whether a compared hash is still the user's. Another request may have changed it.
pub(crate) async fn is_unchanged(db: &mut PgConnection, user: Uuid, hash: &str) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select coalesce(encrypted_password, '') = $2 as "unchanged!" from auth.users where id = $1 for update"#,
        user,
        hash,
    )
    .fetch_optional(db)
    .await
    .map(|unchanged| unchanged.unwrap_or(false))
}

/// Stores another hash.
pub(crate) async fn set(
    db: &mut PgConnection,
    user: Uuid,
    hash: &str,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update auth.users set encrypted_password = $2, updated_at = $3 where id = $1",
        user,
        hash,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}
