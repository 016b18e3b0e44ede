use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;

use super::one_time_tokens::Pending;

/// How much of something there may be: what one costs in seconds, and until when it may be spent already for one more.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Allowance {
    pub(crate) cost: f64,
    pub(crate) spent_before: OffsetDateTime,
}

/// The allowances of guesses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Guesses {
    /// Of one network for one code.
    pub(crate) of_code: i32,
    /// Of one network.
    pub(crate) of_client: Allowance,
    /// Of all that are not known and did not ask for a code.
    pub(crate) of_crowd: Allowance,
    /// Of all that are not known and asked for one.
    pub(crate) of_askers: Allowance,
    /// Who asked for a code since then asked for it lately.
    pub(crate) asked_since: OffsetDateTime,
}

/// A code that is guessed.
#[derive(Debug)]
pub(crate) struct Guessed<'a> {
    /// Where it was sent.
    pub(crate) sent_to: &'a str,
    /// What it may be stored as.
    pub(crate) hashes: &'a [String],
    /// The slots in which it may be.
    pub(crate) slots: &'a [String],
}

/// Counts a guess and gives the code that it names, in one statement that is a transaction of its own; none when no guess is
/// left. The client is locked before the address, as everywhere, and a client without guesses takes none of the others'.
/// Of several accounts that have a code at the same address, which they all want to change to, the newest counts.
///
/// A crash of the database server may forget the guesses of its last half second; nothing else can.
pub(crate) async fn guess(
    executor: impl PgExecutor<'_>,
    (address, client): (&[u8], &[u8]),
    guesses: &Guesses,
    guessed: &Guessed<'_>,
    now: OffsetDateTime,
) -> Result<Option<Pending>, sqlx::Error> {
    sqlx::query_as!(
        Pending,
        r#"with without_waiting_for_the_disk as (
            select set_config('synchronous_commit', 'off', true)
        ),
        own as (
            insert into auth.banyan_code_clients as known (address, client, tries, guesses_spent_until, updated_at)
            select $1, $2, 1, $3::timestamptz + $6 * interval '1 second', $3 from without_waiting_for_the_disk
            on conflict (address, client) do update
            set tries = known.tries + 1,
                guesses_spent_until = greatest(known.guesses_spent_until, $3) + $6 * interval '1 second',
                updated_at = $3
            where known.tries < $5 and coalesce(known.guesses_spent_until, $3) <= $7
            returning coalesce(known_until > $3, false) as is_known, coalesce(sent_at > $4, false) as has_asked
        ),
        of_crowd as (
            insert into auth.banyan_code_addresses as known (address, guesses_spent_until, updated_at)
            select $1, $3::timestamptz + $8 * interval '1 second', $3 from own where not is_known and not has_asked
            on conflict (address) do update
            set guesses_spent_until = greatest(known.guesses_spent_until, $3) + $8 * interval '1 second',
                updated_at = $3
            where coalesce(known.guesses_spent_until, $3) <= $9
            returning true
        ),
        of_askers as (
            insert into auth.banyan_code_addresses as known (address, askers_spent_until, updated_at)
            select $1, $3::timestamptz + $10 * interval '1 second', $3 from own where not is_known and has_asked
            on conflict (address) do update
            set askers_spent_until = greatest(known.askers_spent_until, $3) + $10 * interval '1 second',
                updated_at = $3
            where coalesce(known.askers_spent_until, $3) <= $11
            returning true
        )
        select id, user_id, token_type::text as "slot!", token_hash, relates_to as sent_to
        from auth.one_time_tokens
        where relates_to = $12
            and token_hash = any($13)
            and token_type::text = any($14)
            and (exists (select from own where is_known)
                or exists (select from of_crowd)
                or exists (select from of_askers))
        order by created_at desc
        limit 1"#,
        address,
        client,
        now,
        guesses.asked_since,
        guesses.of_code,
        guesses.of_client.cost,
        guesses.of_client.spent_before,
        guesses.of_crowd.cost,
        guesses.of_crowd.spent_before,
        guesses.of_askers.cost,
        guesses.of_askers.spent_before,
        guessed.sent_to,
        guessed.hashes,
        guessed.slots,
    )
    .fetch_optional(executor)
    .await
}

/// What a right code gives back, and until when its client is known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry<'a> {
    /// Seconds of a code.
    pub(crate) code: f64,
    /// The guess that it was, if it was counted as one.
    pub(crate) guess: Option<&'a Guesses>,
    /// The browser that is known from now on beside the client, and until when; none: as before.
    pub(crate) known: Option<(&'a [u8], OffsetDateTime)>,
}

/// Notes that a right code came from a client.
pub(crate) async fn entered(
    db: &mut PgConnection,
    (address, client): (&[u8], &[u8]),
    entry: &Entry<'_>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "with before as (
            select coalesce(known_until > $3, false) as is_known, coalesce(sent_at > $9, false) as has_asked
            from auth.banyan_code_clients
            where address = $1 and client = $2
        ),
        own as (
            insert into auth.banyan_code_clients as known (address, client, known_until, updated_at)
            values ($1, $2, $4, $3)
            on conflict (address, client) do update
            set tries = 0,
                codes_spent_until = known.codes_spent_until - $5 * interval '1 second',
                guesses_spent_until = known.guesses_spent_until - $6 * interval '1 second',
                known_until = coalesce($4, known.known_until),
                updated_at = $3
            returning address
        ),
        browser as (
            insert into auth.banyan_code_clients as known (address, client, known_until, updated_at)
            select $1, $10, $4, $3 where $10 <> $2
            on conflict (address, client) do update set known_until = $4, updated_at = $3
        )
        update auth.banyan_code_addresses as of_all
        set guesses_spent_until = of_all.guesses_spent_until
                - case when before.has_asked then 0::float8 else $7 end * interval '1 second',
            askers_spent_until = of_all.askers_spent_until
                - case when before.has_asked then $8 else 0::float8 end * interval '1 second'
        from own, before
        where of_all.address = own.address and not before.is_known",
        address,
        client,
        now,
        entry.known.map(|(_, until)| until),
        entry.code,
        entry.guess.map_or(0.0, |guess| guess.of_client.cost),
        entry.guess.map_or(0.0, |guess| guess.of_crowd.cost),
        entry.guess.map_or(0.0, |guess| guess.of_askers.cost),
        entry.guess.map_or(now, |guess| guess.asked_since),
        entry.known.map(|(browser, _)| browser),
    )
    .execute(db)
    .await?;
    Ok(())
}

/// What may still be sent to an address.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Codes {
    /// The last one that the client asked for must have gone by then.
    pub(crate) sent_before: OffsetDateTime,
    /// What one network may ask for.
    pub(crate) of_client: Allowance,
    /// What all that are not known may ask for; none where whoever asks is trusted.
    pub(crate) of_address: Option<Allowance>,
    /// Whether it is a transaction of its own, which need not wait for the disk.
    pub(crate) for_good: bool,
}

/// Counts a code that is about to go to an address, which gives the client tries for it, and says whether the client is known.
/// None when that is too soon; what was counted then is to be rolled back, or stays with the client alone.
pub(crate) async fn count_code(
    db: &mut PgConnection,
    (address, client): (&[u8], &[u8]),
    codes: &Codes,
    now: OffsetDateTime,
) -> Result<Option<bool>, sqlx::Error> {
    let of_address = codes.of_address.unwrap_or(codes.of_client);
    sqlx::query_scalar!(
        r#"with durability as (
            select case when $10 then set_config('synchronous_commit', 'off', true) end
        ),
        own as (
            insert into auth.banyan_code_clients as known (address, client, sent_at, codes_spent_until, updated_at)
            select $1, $2, $3, $3::timestamptz + $5 * interval '1 second', $3 from durability
            on conflict (address, client) do update
            set sent_at = $3,
                tries = 0,
                codes_spent_until = greatest(known.codes_spent_until, $3) + $5 * interval '1 second',
                updated_at = $3
            where coalesce(known.sent_at <= $4, true) and coalesce(known.codes_spent_until, $3) <= $6
            returning $7::boolean as is_trusted, coalesce(known_until > $3, false) as is_known
        ),
        of_all as (
            insert into auth.banyan_code_addresses as known (address, codes_spent_until, updated_at)
            select $1, $3::timestamptz + $8 * interval '1 second', $3 from own where not is_known and not is_trusted
            on conflict (address) do update
            set codes_spent_until = greatest(known.codes_spent_until, $3) + $8 * interval '1 second',
                updated_at = $3
            where coalesce(known.codes_spent_until, $3) <= $9
            returning true
        )
        select is_known as "is_known!" from own where is_known or is_trusted or exists (select from of_all)"#,
        address,
        client,
        now,
        codes.sent_before,
        codes.of_client.cost,
        codes.of_client.spent_before,
        codes.of_address.is_none(),
        of_address.cost,
        of_address.spent_before,
        codes.for_good,
    )
    .fetch_optional(db)
    .await
}

/// What a code had cost: the client, and the address unless the client is known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    pub(crate) of_client: f64,
    pub(crate) of_address: f64,
}

/// Gives a code back that was counted and did not go, and its pause; says whether the client is known.
pub(crate) async fn forget_code(
    executor: impl PgExecutor<'_>,
    (address, client): (&[u8], &[u8]),
    cost: Cost,
    now: OffsetDateTime,
) -> Result<Option<bool>, sqlx::Error> {
    sqlx::query_scalar!(
        r#"with own as (
            update auth.banyan_code_clients
            set sent_at = null, codes_spent_until = codes_spent_until - $3 * interval '1 second'
            where address = $1 and client = $2
            returning coalesce(known_until > $5, false) as is_known
        ),
        of_all as (
            update auth.banyan_code_addresses
            set codes_spent_until = codes_spent_until - $4 * interval '1 second'
            from own
            where address = $1 and not is_known
        )
        select is_known as "is_known!" from own"#,
        address,
        client,
        cost.of_client,
        cost.of_address,
        now,
    )
    .fetch_optional(executor)
    .await
}

/// What an address was sent.
#[derive(Debug)]
pub(crate) struct Sent {
    /// When the last code went that the client asked for.
    pub(crate) sent_at: Option<OffsetDateTime>,
    /// Until when the client's allowance is spent.
    pub(crate) own_until: Option<OffsetDateTime>,
    /// Until when that of the address is.
    pub(crate) all_until: Option<OffsetDateTime>,
}

pub(crate) async fn sent(
    db: &mut PgConnection,
    (address, client): (&[u8], &[u8]),
) -> Result<Sent, sqlx::Error> {
    sqlx::query_as!(
        Sent,
        r#"select own.sent_at as "sent_at?", own.codes_spent_until as "own_until?",
            of_all.codes_spent_until as "all_until?"
        from (values ($1::bytea, $2::bytea)) as wanted (address, client)
        left join auth.banyan_code_clients as own using (address, client)
        left join auth.banyan_code_addresses as of_all using (address)"#,
        address,
        client,
    )
    .fetch_one(db)
    .await
}
