//! Changes of one account: each sets some columns and notes when.

use serde_json::Value;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

/// Sets columns of the account `$id`; `$2` is the time, and the arguments begin at `$3`.
macro_rules! set {
    ($db:expr, $id:expr, $now:expr, $columns:tt $(, $argument:expr)* $(,)?) => {
        sqlx::query!(
            "update auth.users set updated_at = $2, " + $columns + " where id = $1",
            $id,
            $now
            $(, $argument)*
        )
        .execute($db)
        .await
        .map(drop)
    };
}

pub(super) use set;

type Done = Result<(), sqlx::Error>;

/// Notes when somebody was invited; the code is one of confirmation.
pub(crate) async fn invited(db: &mut PgConnection, id: Uuid, now: OffsetDateTime) -> Done {
    set!(db, id, now, "invited_at = $2, confirmation_sent_at = $2")
}

pub(crate) async fn phone_change_sent(
    db: &mut PgConnection,
    id: Uuid,
    new_phone: &str,
    now: OffsetDateTime,
) -> Done {
    set!(db, id, now, "phone_change = $3, phone_change_sent_at = $2", new_phone)
}

pub(crate) async fn email_change_sent(
    db: &mut PgConnection,
    id: Uuid,
    new_email: &str,
    now: OffsetDateTime,
) -> Done {
    set!(
        db,
        id,
        now,
        "email_change = $3, email_change_sent_at = $2, email_change_confirm_status = 0",
        new_email,
    )
}

pub(crate) async fn email_change_half_confirmed(
    db: &mut PgConnection,
    id: Uuid,
    now: OffsetDateTime,
) -> Done {
    set!(db, id, now, "email_change_confirm_status = 1")
}

pub(crate) async fn confirm_email(db: &mut PgConnection, id: Uuid, now: OffsetDateTime) -> Done {
    set!(
        db,
        id,
        now,
        r#"email_confirmed_at = coalesce(email_confirmed_at, $2),
            raw_user_meta_data = coalesce(raw_user_meta_data, '{}') || '{"email_verified": true}',
            confirmation_token = '',
            is_anonymous = false"#,
    )
}

pub(crate) async fn confirm_phone(db: &mut PgConnection, id: Uuid, now: OffsetDateTime) -> Done {
    set!(
        db,
        id,
        now,
        r#"phone_confirmed_at = coalesce(phone_confirmed_at, $2),
            raw_user_meta_data = coalesce(raw_user_meta_data, '{}') || '{"phone_verified": true}',
            confirmation_token = '',
            is_anonymous = false"#,
    )
}

/// Gives the account another, confirmed address.
pub(crate) async fn change_email(db: &mut PgConnection, id: Uuid, email: &str, now: OffsetDateTime) -> Done {
    set!(
        db,
        id,
        now,
        "email = $3::text,
            email_confirmed_at = $2,
            raw_user_meta_data = coalesce(raw_user_meta_data, '{}')
                || jsonb_build_object('email', $3::text, 'email_verified', true),
            email_change = '',
            email_change_token_new = '',
            email_change_token_current = '',
            email_change_confirm_status = 0,
            is_anonymous = false",
        email,
    )
}

/// Gives the account another, confirmed number.
pub(crate) async fn change_phone(db: &mut PgConnection, id: Uuid, phone: &str, now: OffsetDateTime) -> Done {
    set!(
        db,
        id,
        now,
        "phone = $3::text,
            phone_confirmed_at = $2,
            phone_change = '',
            phone_change_token = '',
            is_anonymous = false",
        phone,
    )
}

/// Sets the address and leaves open whether it is confirmed.
pub(crate) async fn set_email(db: &mut PgConnection, id: Uuid, email: &str, now: OffsetDateTime) -> Done {
    set!(db, id, now, "email = $3", email)
}

/// As [`set_email`], for the number.
pub(crate) async fn set_phone(db: &mut PgConnection, id: Uuid, phone: &str, now: OffsetDateTime) -> Done {
    set!(db, id, now, "phone = $3", phone)
}

/// Both metadata objects of an account.
pub(crate) struct Metadata {
    /// What the project says of the user.
    pub(crate) app: Value,
    /// What the user says.
    pub(crate) own: Value,
}

/// Replaces both metadata objects.
pub(crate) async fn set_metadata(
    db: &mut PgConnection,
    id: Uuid,
    metadata: &Metadata,
    now: OffsetDateTime,
) -> Done {
    set!(db, id, now, "raw_app_meta_data = $3, raw_user_meta_data = $4", metadata.app, metadata.own)
}

/// Replaces the user metadata.
pub(crate) async fn set_user_metadata(
    db: &mut PgConnection,
    id: Uuid,
    metadata: &Value,
    now: OffsetDateTime,
) -> Done {
    set!(db, id, now, "raw_user_meta_data = $3", metadata)
}

/// Notes that an account is no longer anonymous.
pub(crate) async fn set_named(db: &mut PgConnection, id: Uuid, now: OffsetDateTime) -> Done {
    set!(db, id, now, "is_anonymous = false")
}

/// What only an admin changes. None leaves it as it is.
pub(crate) struct AdminChange<'a> {
    pub(crate) role: Option<&'a str>,
    pub(crate) banned_until: Option<Option<OffsetDateTime>>,
}

/// What an admin may set directly; absent values stay as they are.
pub(crate) async fn set_by_admin(
    db: &mut PgConnection,
    id: Uuid,
    change: AdminChange<'_>,
    now: OffsetDateTime,
) -> Done {
    set!(
        db,
        id,
        now,
        "role = coalesce($3, role), banned_until = case when $4 then $5 else banned_until end",
        change.role,
        change.banned_until.is_some(),
        change.banned_until.flatten(),
    )
}

/// Writes into the app metadata which providers the identities are of, the oldest first
/// (CONTRACT.md O12).
pub(crate) async fn set_providers_from_identities(
    db: &mut PgConnection,
    id: Uuid,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update auth.users
        set raw_app_meta_data = coalesce(raw_app_meta_data, '{}')
                || jsonb_build_object('provider', known.providers[1], 'providers', to_jsonb(known.providers)),
            updated_at = $2
        from (
            select array_agg(provider order by since, provider) as providers
            from (
                select provider, min(created_at) as since
                from auth.identities
                where user_id = $1
                group by provider
            ) as each_provider
        ) as known
        where id = $1 and known.providers is not null",
        id,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}
