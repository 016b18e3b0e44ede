use serde_json::Value;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::set;
use crate::store::one_time_tokens;

type Done = Result<(), sqlx::Error>;

/// Gives an account the confirmed or unconfirmed address of one of its identities, or none; what
/// was pending for the account is void.
pub(crate) async fn give_email(
    db: &mut PgConnection,
    id: Uuid,
    email: Option<&str>,
    now: OffsetDateTime,
) -> Done {
    set!(
        &mut *db,
        id,
        now,
        "email = $3,
            email_confirmed_at = case when $4 then coalesce(email_confirmed_at, $2) end,
            raw_user_meta_data = coalesce(raw_user_meta_data, '{}') || jsonb_build_object('email_verified', $4::boolean)",
        email,
        email.is_some(),
    )?;
    void_changes(db, id, now).await?;
    one_time_tokens::clear(db, id).await
}

/// Takes the number from an account.
pub(crate) async fn clear_phone(db: &mut PgConnection, id: Uuid, now: OffsetDateTime) -> Done {
    set!(db, id, now, "phone = null, phone_confirmed_at = null, phone_change = '', phone_change_token = ''")
}

/// Forgets the address and the number that an account was to have, and the tokens that the
/// reference keeps beside them. Where there is nothing to forget the row stays as it is: a sign-out
/// is no change of the account to a project's triggers.
pub(crate) async fn void_changes(db: &mut PgConnection, id: Uuid, now: OffsetDateTime) -> Done {
    sqlx::query!(
        "update auth.users
        set updated_at = $2,
            email_change = '',
            email_change_token_new = '',
            email_change_token_current = '',
            email_change_confirm_status = 0,
            phone_change = '',
            phone_change_token = '',
            confirmation_token = '',
            recovery_token = '',
            reauthentication_token = ''
        where id = $1
            and (concat(email_change, email_change_token_new, email_change_token_current, phone_change,
                    phone_change_token, confirmation_token, recovery_token, reauthentication_token) <> ''
                or email_change_confirm_status <> 0)",
        id,
        now,
    )
    .execute(db)
    .await
    .map(drop)
}

/// What is left of a stripped account.
pub(crate) struct Remains {
    /// Whether it keeps its address.
    pub(crate) email: bool,
    /// Whether it keeps its number.
    pub(crate) phone: bool,
    /// Its user metadata from now on.
    pub(crate) metadata: Value,
}

/// Takes password, metadata, pending changes, and all addresses but those that are kept.
pub(crate) async fn strip(db: &mut PgConnection, id: Uuid, remains: &Remains, now: OffsetDateTime) -> Done {
    set!(
        &mut *db,
        id,
        now,
        "encrypted_password = '',
            raw_user_meta_data = $5,
            email = case when $3 then email end,
            email_confirmed_at = case when $3 then email_confirmed_at end,
            phone = case when $4 then phone end,
            phone_confirmed_at = case when $4 then phone_confirmed_at end",
        remains.email,
        remains.phone,
        remains.metadata,
    )?;
    void_changes(db, id, now).await
}
