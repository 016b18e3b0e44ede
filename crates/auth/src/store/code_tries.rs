use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;

/// How often codes were entered for an address since the last one was sent, this try included.
#[derive(Debug)]
pub(crate) struct Tries {
    /// By this client.
    pub(crate) own: i32,
    /// Whether this client asked for a code lately.
    pub(crate) asked: bool,
    /// By all clients that did not.
    pub(crate) foreign: i32,
}

/// Counts a try, as one statement that is a transaction of its own. The address is locked before the client, as everywhere.
///
/// A crash of the database server may forget the tries of its last half second; nothing else can.
pub(crate) async fn count(
    executor: impl PgExecutor<'_>,
    address: &[u8],
    client: &[u8],
    now: OffsetDateTime,
) -> Result<Tries, sqlx::Error> {
    sqlx::query_as!(
        Tries,
        r#"with without_waiting_for_the_disk as (
            select set_config('synchronous_commit', 'off', true)
        ),
        of_all as (
            insert into auth.banyan_code_addresses as known (address, foreign_tries, updated_at)
            select $1, 1, $3 from without_waiting_for_the_disk
            on conflict (address) do update
            set foreign_tries = known.foreign_tries + case when exists (
                    select
                    from auth.banyan_code_tries
                    where address = $1 and client = $2 and asked_for_code
                ) then 0 else 1 end,
                updated_at = $3
            returning foreign_tries
        ),
        own as (
            insert into auth.banyan_code_tries as known (address, client, tries, updated_at)
            select $1, $2, 1, $3 from of_all
            on conflict (address, client) do update
            set tries = known.tries + 1, updated_at = $3
            returning tries, asked_for_code
        )
        select own.tries as "own!", own.asked_for_code as "asked!", of_all.foreign_tries as "foreign!"
        from own, of_all"#,
        address,
        client,
        now,
    )
    .fetch_one(executor)
    .await
}

/// Begins anew for an address with a new code, which `client` asked for. Who asked before, since `lately`, goes on with
/// the tries that are left.
pub(crate) async fn begin(
    db: &mut PgConnection,
    address: &[u8],
    client: Option<&[u8]>,
    lately: OffsetDateTime,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    forget_tries(db, address, lately, now).await?;
    let Some(client) = client else { return Ok(()) };
    sqlx::query!(
        "insert into auth.banyan_code_tries (address, client, asked_for_code, updated_at)
        values ($1, $2, true, $3)
        on conflict (address, client) do update
        set asked_for_code = true, tries = 0, updated_at = $3",
        address,
        client,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

async fn forget_tries(
    db: &mut PgConnection,
    address: &[u8],
    lately: OffsetDateTime,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "with anew as (
            update auth.banyan_code_addresses
            set foreign_tries = 0, updated_at = $3
            where address = $1
            returning address
        )
        delete from auth.banyan_code_tries
        where address = $1
            and (not asked_for_code or updated_at < $2)
            and (select count(*) from anew) >= 0",
        address,
        lately,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Forgets the tries for an address, because its right code was entered, and gives back what that code had cost.
pub(crate) async fn end(
    db: &mut PgConnection,
    address: &[u8],
    cost: f64,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "with given_back as (
            update auth.banyan_code_addresses
            set foreign_tries = 0, spent_until = spent_until - $2 * interval '1 second', updated_at = $3
            where address = $1
            returning address
        )
        delete from auth.banyan_code_tries
        where address = $1 and (select count(*) from given_back) >= 0",
        address,
        cost,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// What an address may still be sent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Allowance {
    /// The last code must have gone by then.
    pub(crate) sent_before: OffsetDateTime,
    /// Its allowance must not be spent for longer than until then.
    pub(crate) spent_before: OffsetDateTime,
    /// Seconds for which one code spends it.
    pub(crate) cost: f64,
}

/// Counts a code that is about to go to an address. False when that is too soon.
pub(crate) async fn count_sent(
    db: &mut PgConnection,
    address: &[u8],
    allowance: &Allowance,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let Allowance { sent_before, spent_before, cost } = *allowance;
    let done = sqlx::query!(
        "insert into auth.banyan_code_addresses as known (address, sent_at, spent_until, updated_at)
        values ($1, $5, $5::timestamptz + $4 * interval '1 second', $5)
        on conflict (address) do update
        set sent_at = $5,
            spent_until = greatest(known.spent_until, $5) + $4 * interval '1 second',
            updated_at = $5
        where (known.sent_at is null or known.sent_at <= $2)
            and (known.spent_until is null or known.spent_until <= $3)",
        address,
        sent_before,
        spent_before,
        cost,
        now,
    )
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// What an address was sent.
#[derive(Debug, Default)]
pub(crate) struct Sent {
    /// When the last code went.
    pub(crate) sent_at: Option<OffsetDateTime>,
    /// Until when its allowance is spent.
    pub(crate) spent_until: Option<OffsetDateTime>,
}

pub(crate) async fn sent(db: &mut PgConnection, address: &[u8]) -> Result<Sent, sqlx::Error> {
    let known = sqlx::query_as!(
        Sent,
        "select sent_at, spent_until from auth.banyan_code_addresses where address = $1",
        address,
    )
    .fetch_optional(db)
    .await?;
    Ok(known.unwrap_or_default())
}
