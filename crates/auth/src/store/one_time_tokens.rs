use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

use super::users::User;

/// The type of a pending code. A user has at most one of each type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenType {
    Confirmation,
    Recovery,
    EmailChangeCurrent,
    EmailChangeNew,
    PhoneChange,
    Reauthentication,
}

impl TokenType {
    const ALL: [Self; 6] = [
        Self::Confirmation,
        Self::Recovery,
        Self::EmailChangeCurrent,
        Self::EmailChangeNew,
        Self::PhoneChange,
        Self::Reauthentication,
    ];

    /// The types for changes of address and number.
    pub(crate) const OF_CHANGES: [Self; 3] =
        [Self::EmailChangeCurrent, Self::EmailChangeNew, Self::PhoneChange];

    /// The name in the enum `auth.one_time_token_type`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Confirmation => "confirmation_token",
            Self::Recovery => "recovery_token",
            Self::EmailChangeCurrent => "email_change_token_current",
            Self::EmailChangeNew => "email_change_token_new",
            Self::PhoneChange => "phone_change_token",
            Self::Reauthentication => "reauthentication_token",
        }
    }

    /// The type of a name.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|token_type| token_type.name() == name)
    }

    /// When the last code of this type was stored. It expires from then on (CONTRACT.md M4).
    pub(crate) fn sent_at(self, user: &User) -> Option<OffsetDateTime> {
        match self {
            Self::Confirmation => user.confirmation_sent_at,
            Self::Recovery => user.recovery_sent_at,
            Self::EmailChangeCurrent | Self::EmailChangeNew => user.email_change_sent_at,
            Self::PhoneChange => user.phone_change_sent_at,
            Self::Reauthentication => user.reauthentication_sent_at,
        }
    }
}

/// A pending code.
#[derive(Debug)]
pub(crate) struct Pending {
    pub(crate) id: Uuid,
    pub(crate) user_id: Uuid,
    pub(crate) token_type: String,
    pub(crate) token_hash: String,
    /// The address or number that the code went to.
    pub(crate) sent_to: String,
}

/// A code as it is stored.
#[derive(Debug)]
pub(crate) struct Stored {
    pub(crate) token_type: String,
    pub(crate) token_hash: String,
    /// When it began to count. A code that was sent again for a half confirmed change began with
    /// the first.
    pub(crate) begun_at: OffsetDateTime,
}

/// A code that is stored when it is sent.
pub(crate) struct NewToken<'a> {
    pub(crate) id: Uuid,
    pub(crate) user: Uuid,
    pub(crate) token_type: TokenType,
    pub(crate) token_hash: &'a str,
    /// The address or number that it is sent to.
    pub(crate) sent_to: &'a str,
}

/// Stores a code and its time, in place of the earlier code of its type (CONTRACT.md M4, M6).
pub(crate) async fn put(
    db: &mut PgConnection,
    token: &NewToken<'_>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "with code as (
            insert into auth.one_time_tokens (id, user_id, token_type, token_hash, relates_to, created_at, updated_at)
            values ($1, $2, $3::text::auth.one_time_token_type, $4, $5, $6::timestamptz at time zone 'utc',
                $6::timestamptz at time zone 'utc')
            on conflict (user_id, token_type) do update
            set id = excluded.id,
                token_hash = excluded.token_hash,
                relates_to = excluded.relates_to,
                created_at = excluded.created_at,
                updated_at = excluded.updated_at
        )
        update auth.users
        set updated_at = $6,
            confirmation_sent_at = case $3 when 'confirmation_token' then $6 else confirmation_sent_at end,
            recovery_sent_at = case $3 when 'recovery_token' then $6 else recovery_sent_at end,
            reauthentication_sent_at =
                case $3 when 'reauthentication_token' then $6 else reauthentication_sent_at end,
            email_change_sent_at = case when $3 like 'email_change_%' then $6 else email_change_sent_at end,
            phone_change_sent_at = case $3 when 'phone_change_token' then $6 else phone_change_sent_at end
        where id = $2",
        token.id,
        token.user,
        token.token_type.name(),
        token.token_hash,
        token.sent_to,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// The code whose stored form is one of `hashes`.
pub(crate) async fn by_hash(
    executor: impl PgExecutor<'_>,
    hashes: &[String],
    token_types: &[String],
) -> Result<Option<Pending>, sqlx::Error> {
    sqlx::query_as!(
        Pending,
        r#"select id, user_id, token_type::text as "token_type!", token_hash, relates_to as sent_to
        from auth.one_time_tokens
        where token_hash = any($1) and token_type::text = any($2)
        limit 1"#,
        hashes,
        token_types,
    )
    .fetch_optional(executor)
    .await
}

/// The stored codes of a user, with their types.
pub(crate) async fn of_user(db: &mut PgConnection, user: Uuid) -> Result<Vec<Stored>, sqlx::Error> {
    sqlx::query_as!(
        Stored,
        r#"select token_type::text as "token_type!", token_hash, created_at at time zone 'utc' as "begun_at!"
        from auth.one_time_tokens
        where user_id = $1"#,
        user,
    )
    .fetch_all(db)
    .await
}

/// Makes the code that replaced `code` expire with it.
pub(crate) async fn keep_begun(db: &mut PgConnection, user: Uuid, code: &Stored) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update auth.one_time_tokens
        set created_at = $3::timestamptz at time zone 'utc'
        where user_id = $1 and token_type = $2::text::auth.one_time_token_type",
        user,
        code.token_type,
        code.begun_at,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Uses a code up. False if another request just did.
pub(crate) async fn take(db: &mut PgConnection, id: Uuid) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!("delete from auth.one_time_tokens where id = $1", id).execute(db).await?;
    Ok(done.rows_affected() == 1)
}

/// As [`take`], for a code that began since then. False also for an older one.
pub(crate) async fn take_begun_since(
    db: &mut PgConnection,
    id: Uuid,
    begun_since: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "delete from auth.one_time_tokens
        where id = $1 and created_at >= $2::timestamptz at time zone 'utc'",
        id,
        begun_since,
    )
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// As [`take`], with all other codes of the account.
pub(crate) async fn take_with_others(
    db: &mut PgConnection,
    id: Uuid,
    user: Uuid,
) -> Result<bool, sqlx::Error> {
    let taken = sqlx::query_scalar!("delete from auth.one_time_tokens where user_id = $1 returning id", user)
        .fetch_all(db)
        .await?;
    Ok(taken.contains(&id))
}

pub(crate) async fn clear(db: &mut PgConnection, user: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from auth.one_time_tokens where user_id = $1", user).execute(db).await?;
    Ok(())
}

/// Deletes the codes that were made for a user at one moment. Codes that another request made since
/// then stay.
pub(crate) async fn clear_of(
    db: &mut PgConnection,
    user: Uuid,
    made_at: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "delete from auth.one_time_tokens
        where user_id = $1 and updated_at = $2::timestamptz at time zone 'utc'",
        user,
        made_at,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Deletes the codes of some types.
pub(crate) async fn clear_types(
    db: &mut PgConnection,
    user: Uuid,
    token_types: &[TokenType],
) -> Result<(), sqlx::Error> {
    let names: Vec<String> = token_types.iter().map(|token_type| token_type.name().to_owned()).collect();
    sqlx::query!(
        "delete from auth.one_time_tokens where user_id = $1 and token_type::text = any($2)",
        user,
        &names,
    )
    .execute(db)
    .await?;
    Ok(())
}
