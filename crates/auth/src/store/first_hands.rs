use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

/// The request that made an account.
#[derive(Debug)]
pub(crate) struct Made<'a> {
    /// Its kind.
    pub(crate) hand: &'a str,
    /// What stands for the client.
    pub(crate) client: &'a [u8],
    /// What stands for its code challenge.
    pub(crate) challenge: Option<&'a [u8]>,
}

/// Notes which request made an account.
pub(crate) async fn put(
    db: &mut PgConnection,
    user: Uuid,
    made: &Made<'_>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into auth.banyan_first_hands (user_id, hand, client, challenge, made_at)
        values ($1, $2, $3, $4, $5)
        on conflict (user_id) do update
        set hand = excluded.hand,
            client = excluded.client,
            challenge = excluded.challenge,
            made_at = excluded.made_at",
        user,
        made.hand,
        made.client,
        made.challenge,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// The kind of request that made an account, if no other had a hand in it.
pub(crate) async fn of_user(
    executor: impl PgExecutor<'_>,
    user: Uuid,
) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar!("select hand from auth.banyan_first_hands where user_id = $1", user)
        .fetch_optional(executor)
        .await
}

/// Forgets the hand of an account where it is none of `but`, nor that of the request that is `own`: from the same client,
/// where that made the account after the time given, or with the same challenge.
pub(crate) async fn forget_unless(
    db: &mut PgConnection,
    user: Uuid,
    but: &[String],
    own: Option<(&Made<'_>, OffsetDateTime)>,
) -> Result<(), sqlx::Error> {
    let (made, since) = own.unzip();
    sqlx::query!(
        "delete from auth.banyan_first_hands
        where user_id = $1
            and hand <> all($2)
            and (hand = $3 and (client = $4 and made_at > $6 or challenge = $5)) is not true",
        user,
        but,
        made.map(|made| made.hand),
        made.map(|made| made.client),
        made.and_then(|made| made.challenge),
        since,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Forgets the hand of an account. False when none was known.
pub(crate) async fn take(db: &mut PgConnection, user: Uuid) -> Result<bool, sqlx::Error> {
    let done =
        sqlx::query!("delete from auth.banyan_first_hands where user_id = $1", user).execute(db).await?;
    Ok(done.rows_affected() == 1)
}
