//! Turns of work that one node does for all, once in each interval.
//!
//! A turn is a row, taken by one short statement and kept by another now and then, so work holds no connection while it
//! lasts. PostgreSQL's clock decides, as it is the same for all nodes. A turn that was taken is used up, whatever becomes of
//! its node: nobody takes it again, and the next one is free once the dead node's hold has run out.
//!
//! Its SQL is not checked at compile time: the program that prepares such checks stands on this crate.

use std::time::Duration;

use tokio::time::sleep;
use tokio_util::{
    sync::{CancellationToken, DropGuard},
    task::TaskTracker,
};

use crate::{Database, Login, Migration};

/// How long a turn is held without a sign of life.
const HOLD: Duration = Duration::from_secs(30);
/// Time between two signs of life.
const SIGN: Duration = Duration::from_secs(10);

/// The table of turns, applied at start by `supabase_admin`.
pub const MIGRATIONS: &[Migration] = &[Migration {
    version: 20_260_101_001_700,
    name: "turns",
    sql: include_str!("../migrations/20260101001700_turns.sql"),
}];

/// Where turns are taken.
#[derive(Debug, Clone)]
pub struct Turns {
    database: Database,
    held: TaskTracker,
}

/// A turn that is held until this is dropped.
#[derive(Debug)]
pub struct Turn {
    _held: DropGuard,
}

impl Turns {
    /// Turns of the nodes that share a database.
    #[must_use]
    pub fn new(database: Database) -> Self {
        Self { database, held: TaskTracker::new() }
    }

    /// Takes the turn of `work`, which comes once in `every`; nothing when it was taken in this interval, or is still held.
    ///
    /// The interval is counted from the last turn, whichever node took it, so who asks often loses none by a restart. A turn
    /// is free a twentieth of the interval early, a second at most, since no two ticks of a node are exactly as far apart
    /// as others. The very first turn is free at once.
    ///
    /// # Errors
    /// What PostgreSQL says.
    pub async fn take(&self, work: &str, every: Duration) -> Result<Option<Turn>, sqlx::Error> {
        self.take_for(work, every, HOLD).await
    }

    async fn take_for(
        &self,
        work: &str,
        every: Duration,
        hold: Duration,
    ) -> Result<Option<Turn>, sqlx::Error> {
        let holder: Option<String> = sqlx::query_scalar(
            "insert into _banyan.turns as turn (work, taken_at, holder, held_until)
            values ($1, clock_timestamp(), gen_random_uuid(), clock_timestamp() + make_interval(secs => $3))
            on conflict (work) do update
            set taken_at = excluded.taken_at, holder = excluded.holder, held_until = excluded.held_until
            where (
                turn.taken_at <= excluded.taken_at - make_interval(secs => $2 - least($2 / 20, 1))
                -- The clock went back.
                or turn.taken_at > excluded.taken_at + make_interval(secs => $2)
            )
            and (
                turn.held_until is null
                or turn.held_until <= excluded.taken_at
                -- The clock went back: none that holds now holds for longer than this one would, save for the time
                -- that this statement waited for the row.
                or turn.held_until > excluded.held_until + make_interval(secs => $3)
            )
            returning holder::text",
        )
        .bind(work)
        .bind(every.as_secs_f64())
        .bind(hold.as_secs_f64())
        .fetch_optional(self.database.pool(Login::Admin))
        .await?;
        Ok(holder.map(|holder| self.hold(work.to_owned(), holder)))
    }

    /// Keeps a turn until what is returned is dropped, and gives it back then.
    fn hold(&self, work: String, holder: String) -> Turn {
        let dropped = CancellationToken::new();
        let (database, until) = (self.database.clone(), dropped.clone());
        self.held.spawn(async move {
            while until.run_until_cancelled(sleep(SIGN)).await.is_some() {
                match keep(&database, &work, &holder).await {
                    Ok(true) => {}
                    Ok(false) => {
                        tracing::warn!(work, "the turn was lost: the work lasts on beside another's");
                        return;
                    }
                    Err(error) => tracing::warn!(work, error = %error, "the turn could not be kept"),
                }
            }
            if let Err(error) = give_back(&database, &work, &holder).await {
                tracing::warn!(work, error = %error, "the turn was not given back; it runs out by itself");
            }
        });
        Turn { _held: dropped.drop_guard() }
    }

    /// Waits until every turn that was dropped is given back. To be called before the database is closed.
    pub async fn settle(&self) {
        self.held.close();
        self.held.wait().await;
    }
}

/// Puts off the end of the hold; false when it had run out and another has taken the next turn.
async fn keep(database: &Database, work: &str, holder: &str) -> Result<bool, sqlx::Error> {
    let kept = sqlx::query(
        "update _banyan.turns
        set held_until = clock_timestamp() + make_interval(secs => $3)
        where work = $1 and holder = $2::uuid",
    )
    .bind(work)
    .bind(holder)
    .bind(HOLD.as_secs_f64())
    .execute(database.pool(Login::Admin))
    .await?;
    Ok(kept.rows_affected() > 0)
}

async fn give_back(database: &Database, work: &str, holder: &str) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update _banyan.turns
        set holder = null, held_until = null
        where work = $1 and holder = $2::uuid",
    )
    .bind(work)
    .bind(holder)
    .execute(database.pool(Login::Admin))
    .await
    .map(drop)
}
