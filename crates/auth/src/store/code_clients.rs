use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;

/// A quota: what one event costs in seconds, and how far ahead the spent time may reach before one
/// more.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Quota {
    pub(crate) cost: f64,
    pub(crate) spent_before: OffsetDateTime,
}

/// The quotas of guesses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Guesses {
    /// Guesses of one network for one code.
    pub(crate) per_code: i32,
    /// Of one network.
    pub(crate) per_client: Quota,
    /// Of all unknown networks that asked for no code.
    pub(crate) of_strangers: Quota,
    /// Of all unknown networks that asked for one.
    pub(crate) of_requesters: Quota,
    /// Who asked for a code since then asked for it lately.
    pub(crate) requested_since: OffsetDateTime,
}

/// A guess at a code.
#[derive(Debug)]
pub(crate) struct Guessed<'a> {
    /// Where it was sent.
    pub(crate) sent_to: &'a str,
    /// The forms in which it may be stored.
    pub(crate) hashes: &'a [String],
    /// The types that it may have.
    pub(crate) token_types: &'a [String],
    /// A code that was sent earlier does not count.
    pub(crate) fresh_since: OffsetDateTime,
}

/// What a right code gives back, and which browser it makes known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry<'a> {
    /// What the code had cost, in seconds.
    pub(crate) code: f64,
    /// The quotas of the guess, if it was counted as one.
    pub(crate) guess: Option<&'a Guesses>,
    /// The browser that becomes known beside the client, and until when. None changes nothing.
    pub(crate) known: Option<(&'a [u8], OffsetDateTime)>,
}

impl Entry<'_> {
    /// What the guess had cost its network, and the strangers or requesters, in seconds.
    pub(super) fn costs(&self) -> [f64; 3] {
        self.guess.map_or([0.0; 3], |guess| {
            [guess.per_client.cost, guess.of_strangers.cost, guess.of_requesters.cost]
        })
    }

    /// Who asked for a code since then asked for it lately.
    pub(super) fn requested_since(&self, now: OffsetDateTime) -> OffsetDateTime {
        self.guess.map_or(now, |guess| guess.requested_since)
    }
}

/// The SQL of [`entered`], for a macro. If `$11` is a session, it must exist.
macro_rules! entered {
    ($text:ident $(, $argument:expr)* $(,)?) => {
        $text!(
            "with before as (
                select coalesce(known_until > $3, false) as is_known, coalesce(sent_at > $9, false) as has_asked
                from auth.banyan_code_clients
                where address = $1 and client = $2
            ),
            entered as (
                insert into auth.banyan_code_clients as known (address, client, known_until, updated_at)
                select $1::bytea, whose.client, $4::timestamptz, $3::timestamptz
                from (values ($2::bytea, true), ($10, $10 <> $2)) as whose (client, is_another)
                where is_another and ($11::uuid is null or exists (select from auth.sessions where id = $11))
                on conflict (address, client) do update
                set tries = case when known.client = $2 then 0 else known.tries end,
                    codes_spent_until = known.codes_spent_until
                        - case when known.client = $2 then $5 else 0::float8 end * interval '1 second',
                    guesses_spent_until = known.guesses_spent_until
                        - case when known.client = $2 then $6 else 0::float8 end * interval '1 second',
                    known_until = coalesce($4, known.known_until),
                    updated_at = $3
                returning address, client
            )
            update auth.banyan_code_addresses as of_all
            set guesses_spent_until = of_all.guesses_spent_until
                    - case when before.has_asked then 0::float8 else $7 end * interval '1 second',
                askers_spent_until = of_all.askers_spent_until
                    - case when before.has_asked then $8 else 0::float8 end * interval '1 second'
            from entered, before
            where of_all.address = entered.address and entered.client = $2 and not before.is_known"
            $(, $argument)*
        )
    };
}

macro_rules! checked {
    ($text:tt $(, $argument:expr)*) => { sqlx::query!($text $(, $argument)*) };
}

macro_rules! plain {
    ($text:tt) => {
        $text
    };
}

/// The SQL of [`entered`], for a pipeline.
pub(super) const ENTERED: &str = entered!(plain);

/// Stores that a client sent a right code.
pub(crate) async fn entered(
    db: &mut PgConnection,
    (address, client): (&[u8], &[u8]),
    entry: &Entry<'_>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    let [per_client, of_strangers, of_requesters] = entry.costs();
    entered!(
        checked,
        address,
        client,
        now,
        entry.known.map(|(_, until)| until),
        entry.code,
        per_client,
        of_strangers,
        of_requesters,
        entry.requested_since(now),
        entry.known.map(|(browser, _)| browser),
        None::<uuid::Uuid>,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// The limits of codes to an address.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Codes {
    /// The last code of the client must have been sent before this time.
    pub(crate) sent_before: OffsetDateTime,
    /// The last code of any client must have been sent before this time.
    pub(crate) all_sent_before: OffsetDateTime,
    /// The quota of one network.
    pub(crate) per_client: Quota,
    /// The quota of all unknown networks together. None if the request is from the owner or an
    /// admin.
    pub(crate) per_address: Option<Quota>,
    /// Whether this is its own transaction, which need not wait for the disk.
    pub(crate) for_good: bool,
}

/// The count of one requested code.
#[derive(Debug)]
pub(crate) struct Count {
    /// Whether the code may be sent. If not, others were faster, and the count of the client must
    /// be taken back.
    pub(crate) is_granted: bool,
    /// Whether the client is known.
    pub(crate) is_known: bool,
    /// When the client's previous code was sent.
    sent_at: Option<OffsetDateTime>,
    /// The guesses at that code.
    tries: Option<i32>,
}

/// Counts a code before it is sent, which gives the client guesses for it. None if it is too soon;
/// then nothing was counted. All clients wait for the same pause. The quota of unknown networks
/// does not bind known ones.
pub(crate) async fn count_code(
    db: &mut PgConnection,
    (address, client): (&[u8], &[u8]),
    codes: &Codes,
    now: OffsetDateTime,
) -> Result<Option<Count>, sqlx::Error> {
    let per_address = codes.per_address.unwrap_or(codes.per_client);
    sqlx::query_as!(
        Count,
        r#"with durability as (
            select case when $10 then set_config('synchronous_commit', 'off', true) end
        ),
        before as (
            select sent_at, tries, coalesce(known_until > $3, false) as is_known
            from auth.banyan_code_clients
            where address = $1 and client = $2
        ),
        own as (
            insert into auth.banyan_code_clients as known (address, client, sent_at, codes_spent_until, updated_at)
            select $1, $2, $3, $3::timestamptz + $5 * interval '1 second', $3
            from durability
            where $7
                or not exists (select from auth.banyan_code_addresses where address = $1 and sent_at > $11)
            on conflict (address, client) do update
            set sent_at = $3,
                tries = 0,
                codes_spent_until = greatest(known.codes_spent_until, $3) + $5 * interval '1 second',
                updated_at = $3
            where coalesce(known.sent_at <= $4, true) and coalesce(known.codes_spent_until, $3) <= $6
            returning $7::boolean as is_trusted, coalesce(known_until > $3, false) as is_known
        ),
        of_all as (
            insert into auth.banyan_code_addresses as known (address, sent_at, codes_spent_until, updated_at)
            select $1, $3, $3::timestamptz + case when is_known then 0::float8 else $8 end * interval '1 second', $3
            from own
            where not is_trusted
            on conflict (address) do update
            set sent_at = $3,
                codes_spent_until = greatest(known.codes_spent_until, $3) + (excluded.codes_spent_until - $3),
                updated_at = $3
            where coalesce(known.sent_at <= $11, true)
                and (coalesce(known.codes_spent_until, $3) <= $9 or excluded.codes_spent_until = $3)
            returning true
        )
        select is_trusted or exists (select from of_all) as "is_granted!",
            own.is_known as "is_known!", before.sent_at as "sent_at?", before.tries as "tries?"
        from own
        left join before on true"#,
        address,
        client,
        now,
        codes.sent_before,
        codes.per_client.cost,
        codes.per_client.spent_before,
        codes.per_address.is_none(),
        per_address.cost,
        per_address.spent_before,
        codes.for_good,
        codes.all_sent_before,
    )
    .fetch_optional(db)
    .await
}

/// Takes back the count of the client alone.
pub(crate) async fn take_back(
    db: &mut PgConnection,
    (address, client): (&[u8], &[u8]),
    (count, cost): (&Count, f64),
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update auth.banyan_code_clients
        set sent_at = $3, tries = $4, codes_spent_until = codes_spent_until - $5::float8 * interval '1 second'
        where address = $1 and client = $2",
        address,
        client,
        count.sent_at,
        count.tries.unwrap_or_default(),
        cost,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// What a code had cost: the client, and the address unless the client is known. Zero if it was not
/// counted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    pub(crate) per_client: f64,
    pub(crate) per_address: f64,
}

/// Gives back a counted code that was not sent, with its pauses. Returns whether the client is
/// known.
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
            set sent_at = null,
                codes_spent_until = codes_spent_until - case when is_known then 0::float8 else $4 end * interval '1 second'
            from own
            where address = $1 and $4 > 0::float8
        )
        select is_known as "is_known!" from own"#,
        address,
        client,
        cost.per_client,
        cost.per_address,
        now,
    )
    .fetch_optional(executor)
    .await
}

/// The codes that an address was sent.
#[derive(Debug)]
pub(crate) struct Sent {
    /// When the last code of the client was sent.
    pub(crate) sent_at: Option<OffsetDateTime>,
    /// Until when the client's quota is spent.
    pub(crate) own_until: Option<OffsetDateTime>,
    /// When the last code of any client was sent.
    pub(crate) all_sent_at: Option<OffsetDateTime>,
    /// Until when the quota of the address is spent.
    pub(crate) all_until: Option<OffsetDateTime>,
    /// Whether the client is known. The quota of the address does not bind it then.
    pub(crate) is_known: bool,
}

pub(crate) async fn sent(
    db: &mut PgConnection,
    (address, client): (&[u8], &[u8]),
    now: OffsetDateTime,
) -> Result<Sent, sqlx::Error> {
    sqlx::query_as!(
        Sent,
        r#"select own.sent_at as "sent_at?", own.codes_spent_until as "own_until?",
            of_all.sent_at as "all_sent_at?", of_all.codes_spent_until as "all_until?",
            coalesce(own.known_until > $3, false) as "is_known!"
        from (values ($1::bytea, $2::bytea)) as wanted (address, client)
        left join auth.banyan_code_clients as own using (address, client)
        left join auth.banyan_code_addresses as of_all using (address)"#,
        address,
        client,
        now,
    )
    .fetch_one(db)
    .await
}
