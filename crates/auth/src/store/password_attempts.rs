use sqlx::PgExecutor;
use time::OffsetDateTime;

/// Counts an attempt in one statement, which is its own transaction. False if none is left. If
/// PostgreSQL crashes, the attempts of its last half second may be lost.
pub(crate) async fn count(
    executor: impl PgExecutor<'_>,
    (address, client): (&[u8], &[u8]),
    (cost, spent_before): (f64, OffsetDateTime),
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"with without_waiting_for_the_disk as (
            select set_config('synchronous_commit', 'off', true)
        ),
        counted as (
            insert into auth.banyan_password_tries as known (address, client, spent_until)
            select $1, $2, $3::timestamptz + $4 * interval '1 second' from without_waiting_for_the_disk
            on conflict (address, client) do update
            set spent_until = greatest(known.spent_until, $3) + $4 * interval '1 second'
            where known.spent_until <= $5
            returning true
        )
        select exists (select from counted) as "may_try!""#,
        address,
        client,
        now,
        cost,
        spent_before,
    )
    .fetch_one(executor)
    .await
}

/// Until when the attempts of a client are spent.
pub(crate) async fn spent_until(
    executor: impl PgExecutor<'_>,
    (address, client): (&[u8], &[u8]),
) -> Result<Option<OffsetDateTime>, sqlx::Error> {
    sqlx::query_scalar!(
        "select spent_until from auth.banyan_password_tries where address = $1 and client = $2",
        address,
        client,
    )
    .fetch_optional(executor)
    .await
}

/// Gives one attempt back.
pub(crate) async fn give_back(
    executor: impl PgExecutor<'_>,
    (address, client): (&[u8], &[u8]),
    cost: f64,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update auth.banyan_password_tries
        set spent_until = spent_until - $3 * interval '1 second'
        where address = $1 and client = $2",
        address,
        client,
        cost,
    )
    .execute(executor)
    .await?;
    Ok(())
}
