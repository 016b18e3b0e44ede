use serde_json::Value;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

/// Gives an account the confirmed or unconfirmed address of one of its identities, or none; what was pending for the
/// account is void.
pub(crate) async fn give_email(
    db: &mut PgConnection,
    id: Uuid,
    email: Option<&str>,
    confirmed: bool,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update auth.users
        set email = $2,
            email_confirmed_at = case when $3 then coalesce(email_confirmed_at, $4) end,
            raw_user_meta_data = coalesce(raw_user_meta_data, '{}') || jsonb_build_object('email_verified', $3::boolean),
            updated_at = $4
        where id = $1",
        id,
        email,
        confirmed,
        now,
    )
    .execute(&mut *db)
    .await?;
    void_changes(db, id, now).await?;
    sqlx::query!("delete from auth.one_time_tokens where user_id = $1", id).execute(db).await?;
    Ok(())
}

/// Takes the number from an account.
pub(crate) async fn clear_phone(
    db: &mut PgConnection,
    id: Uuid,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update auth.users
        set phone = null, phone_confirmed_at = null, phone_change = '', phone_change_token = '', updated_at = $2
        where id = $1",
        id,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Forgets the address and the number that an account was to have, and the tokens that the reference keeps beside them.
pub(crate) async fn void_changes(
    db: &mut PgConnection,
    id: Uuid,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update auth.users
        set email_change = '',
            email_change_token_new = '',
            email_change_token_current = '',
            email_change_confirm_status = 0,
            phone_change = '',
            phone_change_token = '',
            confirmation_token = '',
            recovery_token = '',
            reauthentication_token = '',
            updated_at = $2
        where id = $1",
        id,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Takes password, metadata, pending changes, and all addresses but those that are kept.
pub(crate) async fn strip(
    db: &mut PgConnection,
    id: Uuid,
    (keeps_email, keeps_phone): (bool, bool),
    metadata: &Value,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update auth.users
        set encrypted_password = '',
            raw_user_meta_data = $4,
            email = case when $2 then email end,
            email_confirmed_at = case when $2 then email_confirmed_at end,
            phone = case when $3 then phone end,
            phone_confirmed_at = case when $3 then phone_confirmed_at end,
            updated_at = $5
        where id = $1",
        id,
        keeps_email,
        keeps_phone,
        metadata,
        now,
    )
    .execute(&mut *db)
    .await?;
    void_changes(db, id, now).await
}
