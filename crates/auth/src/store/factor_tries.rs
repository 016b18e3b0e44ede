use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

/// What is known of the codes entered for a factor.
#[derive(Debug, Default)]
pub(crate) struct FactorTries {
    /// The newest step whose code was accepted.
    pub(crate) last_step: i64,
    /// Wrong codes in a row.
    pub(crate) wrong: i32,
    /// Until when no code is looked at.
    pub(crate) blocked_until: Option<OffsetDateTime>,
}

pub(crate) async fn of_factor(db: &mut PgConnection, factor: Uuid) -> Result<FactorTries, sqlx::Error> {
    let tries = sqlx::query_as!(
        FactorTries,
        "select last_step, wrong, blocked_until from auth.banyan_factor_tries where factor_id = $1",
        factor,
    )
    .fetch_optional(db)
    .await?;
    Ok(tries.unwrap_or_default())
}

pub(crate) async fn put(db: &mut PgConnection, factor: Uuid, tries: &FactorTries) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into auth.banyan_factor_tries (factor_id, last_step, wrong, blocked_until)
        values ($1, $2, $3, $4)
        on conflict (factor_id) do update
        set last_step = $2, wrong = $3, blocked_until = $4",
        factor,
        tries.last_step,
        tries.wrong,
        tries.blocked_until,
    )
    .execute(db)
    .await?;
    Ok(())
}
