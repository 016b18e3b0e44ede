use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::codes::Slot;

/// A pending code.
#[derive(Debug)]
pub(crate) struct Pending {
    pub(crate) id: Uuid,
    pub(crate) user_id: Uuid,
    pub(crate) slot: String,
    pub(crate) token_hash: String,
    /// The address or number that the code went to.
    pub(crate) sent_to: String,
}

/// Puts a code into its slot; the one that was there is gone (auth.md M6).
pub(crate) async fn put(
    db: &mut PgConnection,
    id: Uuid,
    user: Uuid,
    slot: Slot,
    token_hash: &str,
    address: &str,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into auth.one_time_tokens (id, user_id, token_type, token_hash, relates_to, created_at, updated_at)
        values ($1, $2, $3::text::auth.one_time_token_type, $4, $5, $6::timestamptz at time zone 'utc',
            $6::timestamptz at time zone 'utc')
        on conflict (user_id, token_type) do update
        set id = excluded.id,
            token_hash = excluded.token_hash,
            relates_to = excluded.relates_to,
            created_at = excluded.created_at,
            updated_at = excluded.updated_at",
        id,
        user,
        slot.name(),
        token_hash,
        address,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// The newest code that was sent to an address, in any of `slots`, and is stored as one of `hashes`. Several accounts may
/// have one for the same address, which they all want to change to.
pub(crate) async fn of_code(
    db: &mut PgConnection,
    address: &str,
    hashes: &[String],
    slots: &[String],
) -> Result<Option<Pending>, sqlx::Error> {
    sqlx::query_as!(
        Pending,
        r#"select id, user_id, token_type::text as "slot!", token_hash, relates_to as sent_to
        from auth.one_time_tokens
        where relates_to = $1 and token_hash = any($2) and token_type::text = any($3)
        order by created_at desc
        limit 1"#,
        address,
        hashes,
        slots,
    )
    .fetch_optional(db)
    .await
}

/// The code whose stored form is one of `hashes`.
pub(crate) async fn by_hash(
    db: &mut PgConnection,
    hashes: &[String],
    slots: &[String],
) -> Result<Option<Pending>, sqlx::Error> {
    sqlx::query_as!(
        Pending,
        r#"select id, user_id, token_type::text as "slot!", token_hash, relates_to as sent_to
        from auth.one_time_tokens
        where token_hash = any($1) and token_type::text = any($2)
        limit 1"#,
        hashes,
        slots,
    )
    .fetch_optional(db)
    .await
}

/// Uses a code up. False when somebody else just did.
pub(crate) async fn take(db: &mut PgConnection, id: Uuid) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!("delete from auth.one_time_tokens where id = $1", id).execute(db).await?;
    Ok(done.rows_affected() == 1)
}

pub(crate) async fn clear(db: &mut PgConnection, user: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from auth.one_time_tokens where user_id = $1", user).execute(db).await?;
    Ok(())
}

/// Takes back the codes that were made for a user at one moment; what another request made since stays.
pub(crate) async fn clear_of(
    db: &mut PgConnection,
    user: Uuid,
    made_at: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "delete from auth.one_time_tokens
        where user_id = $1 and created_at = $2::timestamptz at time zone 'utc'",
        user,
        made_at,
    )
    .execute(db)
    .await?;
    Ok(())
}

pub(crate) async fn clear_slot(db: &mut PgConnection, user: Uuid, slot: Slot) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "delete from auth.one_time_tokens
        where user_id = $1 and token_type = $2::text::auth.one_time_token_type",
        user,
        slot.name(),
    )
    .execute(db)
    .await?;
    Ok(())
}
