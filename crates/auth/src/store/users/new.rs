use serde_json::Value;
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

/// What a new account starts with.
pub(crate) struct NewUser<'a> {
    pub(crate) id: Uuid,
    pub(crate) aud: &'a str,
    pub(crate) email: Option<&'a str>,
    pub(crate) phone: Option<&'a str>,
    /// Empty: no password.
    pub(crate) encrypted_password: &'a str,
    pub(crate) app_metadata: &'a Value,
    pub(crate) user_metadata: &'a Value,
    pub(crate) is_anonymous: bool,
    pub(crate) is_sso_user: bool,
}

/// Adds an account. False when its address, number or id was taken meanwhile.
pub(crate) async fn insert(
    db: &mut PgConnection,
    user: &NewUser<'_>,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "insert into auth.users
            (instance_id, id, aud, role, email, phone, encrypted_password, confirmation_token, recovery_token,
             email_change_token_new, email_change, raw_app_meta_data, raw_user_meta_data, is_anonymous, is_sso_user,
             created_at, updated_at)
        values
            ('00000000-0000-0000-0000-000000000000', $1, $2, '', $3, $4, $5, '', '', '', '', $6, $7, $8, $9, $10, $10)
        on conflict do nothing",
        user.id,
        user.aud,
        user.email,
        user.phone,
        user.encrypted_password,
        user.app_metadata,
        user.user_metadata,
        user.is_anonymous,
        user.is_sso_user,
        now,
    )
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// What a new account gets in a second step, as triggers on `auth.users` expect (CONTRACT.md Z4).
pub(crate) struct NewUserDetails<'a> {
    pub(crate) role: &'a str,
    pub(crate) user_metadata: &'a Value,
}

/// The second step of a new account (CONTRACT.md Z4): its role, and what its identity adds to the
/// metadata.
pub(crate) async fn complete(
    db: &mut PgConnection,
    id: Uuid,
    details: NewUserDetails<'_>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update auth.users
        set role = $2, raw_user_meta_data = $3, updated_at = $4
        where id = $1",
        id,
        details.role,
        details.user_metadata,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Takes back an account that only this session is of. False when there are others.
pub(crate) async fn delete_unused(
    executor: impl PgExecutor<'_>,
    id: Uuid,
    session: Uuid,
) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "delete from auth.users
        where id = $1 and not exists (select from auth.sessions where user_id = $1 and id <> $2)",
        id,
        session,
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub(crate) async fn delete(db: &mut PgConnection, id: Uuid) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!("delete from auth.users where id = $1", id).execute(db).await?;
    Ok(done.rows_affected() == 1)
}
