use sqlx::PgConnection;
use time::OffsetDateTime;

/// How often codes were entered for an address since the last one was sent, this try included.
#[derive(Debug)]
pub(crate) struct Tries {
    /// By this client.
    pub(crate) own: i32,
    /// Whether this client asked for the code.
    pub(crate) asked: bool,
    /// By all clients that did not ask for it.
    pub(crate) foreign: i64,
}

/// Counts a try before it is judged. Tries for one address are counted one after the other.
pub(crate) async fn count(
    db: &mut PgConnection,
    address: &[u8],
    client: &[u8],
    lock: i64,
    now: OffsetDateTime,
) -> Result<Tries, sqlx::Error> {
    sqlx::query!("select pg_advisory_xact_lock($1)", lock).execute(&mut *db).await?;
    sqlx::query_as!(
        Tries,
        r#"with counted as (
            insert into auth.banyan_code_tries (address, client, tries, updated_at)
            values ($1, $2, 1, $3)
            on conflict (address, client) do update
            set tries = banyan_code_tries.tries + 1, updated_at = $3
            returning tries, asked_for_code
        )
        select
            counted.tries as "own!",
            counted.asked_for_code as "asked!",
            (case when counted.asked_for_code then 0 else 1 end + coalesce(
                (select sum(tries)
                from auth.banyan_code_tries
                where address = $1 and not asked_for_code), 0))::bigint as "foreign!"
        from counted"#,
        address,
        client,
        now,
    )
    .fetch_one(db)
    .await
}

/// Begins anew for an address, because `client` asked for a new code or the right one was entered.
pub(crate) async fn begin(
    db: &mut PgConnection,
    address: &[u8],
    client: Option<&[u8]>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from auth.banyan_code_tries where address = $1", address).execute(&mut *db).await?;
    if let Some(client) = client {
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
    }
    Ok(())
}
