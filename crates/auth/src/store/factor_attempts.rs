use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

/// The attempts of a client at a factor.
#[derive(Debug, Default)]
pub(crate) struct FactorAttempts {
    /// The newest step whose code was accepted.
    pub(crate) last_step: i64,
    /// Whether the client gave a right answer lately. All others are counted together.
    pub(crate) known: bool,
    /// Wrong codes in a row.
    pub(crate) wrong: i32,
    /// Until when the factor is closed.
    pub(crate) blocked_until: Option<OffsetDateTime>,
}

/// Requests about one factor see each other's attempts: the row stays locked until the transaction
/// ends.
pub(crate) async fn of_factor(
    db: &mut PgConnection,
    factor: Uuid,
    client: &[u8],
    now: OffsetDateTime,
) -> Result<FactorAttempts, sqlx::Error> {
    sqlx::query!(
        "insert into auth.banyan_factor_tries (factor_id) values ($1) on conflict (factor_id) do nothing",
        factor,
    )
    .execute(&mut *db)
    .await?;
    sqlx::query_as!(
        FactorAttempts,
        r#"select
            of_all.last_step,
            own.client is not null as "known!",
            coalesce(own.wrong, of_all.wrong) as "wrong!",
            case when own.client is null then of_all.blocked_until else own.blocked_until end as blocked_until
        from auth.banyan_factor_tries as of_all
        left join auth.banyan_factor_clients as own
            on own.factor_id = of_all.factor_id and own.client = $2 and own.known_until > $3
        where of_all.factor_id = $1
        for update of of_all"#,
        factor,
        client,
        now,
    )
    .fetch_one(db)
    .await
}

/// Stores the wrong codes of a client, or of all unknown clients.
pub(crate) async fn wrong(
    db: &mut PgConnection,
    factor: Uuid,
    client: &[u8],
    tries: &FactorAttempts,
) -> Result<(), sqlx::Error> {
    if tries.known {
        sqlx::query!(
            "update auth.banyan_factor_clients
            set wrong = $3, blocked_until = $4
            where factor_id = $1 and client = $2",
            factor,
            client,
            tries.wrong,
            tries.blocked_until,
        )
        .execute(db)
        .await?;
        return Ok(());
    }
    sqlx::query!(
        "update auth.banyan_factor_tries set wrong = $2, blocked_until = $3 where factor_id = $1",
        factor,
        tries.wrong,
        tries.blocked_until,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// A right code of a client.
pub(crate) struct RightCode {
    pub(crate) step: i64,
    /// Whether the client was known before.
    pub(crate) is_known: bool,
    /// How long it is known from now on.
    pub(crate) known_until: OffsetDateTime,
}

/// Stores a right code and its step. The client is known for a while. If it was unknown before, the
/// count of all unknown clients starts anew.
pub(crate) async fn right(
    db: &mut PgConnection,
    factor: Uuid,
    client: &[u8],
    right: &RightCode,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update auth.banyan_factor_tries
        set last_step = $2,
            wrong = case when $3 then wrong else 0 end,
            blocked_until = case when $3 then blocked_until end
        where factor_id = $1",
        factor,
        right.step,
        right.is_known,
    )
    .execute(&mut *db)
    .await?;
    sqlx::query!(
        "insert into auth.banyan_factor_clients (factor_id, client, known_until)
        values ($1, $2, $3)
        on conflict (factor_id, client) do update
        set wrong = 0, blocked_until = null, known_until = excluded.known_until",
        factor,
        client,
        right.known_until,
    )
    .execute(db)
    .await?;
    Ok(())
}
