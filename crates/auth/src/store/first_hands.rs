use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

/// Notes which kind of request made an account.
pub(crate) async fn put(db: &mut PgConnection, user: Uuid, hand: &str) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into auth.banyan_first_hands (user_id, hand)
        values ($1, $2)
        on conflict (user_id) do update
        set hand = excluded.hand",
        user,
        hand,
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

/// Forgets the hand of an account where it is none of `but`.
pub(crate) async fn forget_unless(
    db: &mut PgConnection,
    user: Uuid,
    but: &[String],
) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from auth.banyan_first_hands where user_id = $1 and hand <> all($2)", user, but)
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
