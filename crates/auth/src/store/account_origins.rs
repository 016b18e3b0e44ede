use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

/// Stores which kind of request created an account, and the stored form of its code challenge. The
/// table and its column keep their older names, `banyan_first_hands` and `hand`.
pub(crate) async fn put(
    db: &mut PgConnection,
    user: Uuid,
    origin: &str,
    challenge: Option<&[u8]>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into auth.banyan_first_hands (user_id, hand, challenge)
        values ($1, $2, $3)
        on conflict (user_id) do update set hand = excluded.hand, challenge = excluded.challenge",
        user,
        origin,
        challenge,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// The kind of request that created an account, if it is still remembered.
pub(crate) async fn of_user(
    executor: impl PgExecutor<'_>,
    user: Uuid,
) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar!("select hand from auth.banyan_first_hands where user_id = $1", user)
        .fetch_optional(executor)
        .await
}

/// Forgets the origin of an account, unless it is one of `but` or its challenge is `own`.
pub(crate) async fn forget_unless(
    db: &mut PgConnection,
    user: Uuid,
    but: &[String],
    own: Option<&[u8]>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "delete from auth.banyan_first_hands
        where user_id = $1 and hand <> all($2) and (challenge = $3) is not true",
        user,
        but,
        own,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// As [`forget_unless`], for the account of an address or number that is not confirmed.
pub(crate) async fn forget_at(
    executor: impl PgExecutor<'_>,
    address: &str,
    but: &[String],
    own: Option<&[u8]>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "delete from auth.banyan_first_hands
        where hand <> all($2)
            and (challenge = $3) is not true
            and user_id in (
                select id from auth.users where email = $1 and not is_sso_user and confirmed_at is null
                union all
                select id from auth.users where phone = $1 and confirmed_at is null
            )",
        address,
        but,
        own,
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// Forgets the origin of an account. False if none was known.
pub(crate) async fn take(db: &mut PgConnection, user: Uuid) -> Result<bool, sqlx::Error> {
    let done =
        sqlx::query!("delete from auth.banyan_first_hands where user_id = $1", user).execute(db).await?;
    Ok(done.rows_affected() == 1)
}
