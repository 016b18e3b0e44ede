//! Leases of work that one node does for all: now and then, or for as long as it lives.
//!
//! A lease is a row of `_banyan.turns`, a name that stays until a later change of the schema. One
//! short statement claims it, others extend it while the work lasts, and it is released when it is
//! dropped, so work holds no connection. PostgreSQL's clock decides, as it is the same for all
//! nodes. The lease of a node that died runs out by itself; where the work comes once in an
//! interval, that interval counts as done.
//!
//! Its SQL is not checked at compile time: the program that prepares such checks stands on this
//! crate.

use std::time::Duration;

use tokio::time::{Instant, sleep, timeout_at};
use tokio_util::{
    sync::{CancellationToken, DropGuard},
    task::TaskTracker,
};

use crate::{Database, Login};

/// How long a lease lasts that nobody extends.
const TERM: Duration = Duration::from_secs(30);

/// Where the nodes that share a database claim leases.
#[derive(Debug, Clone)]
pub struct Leases {
    database: Database,
    term: Duration,
    extending: TaskTracker,
}

/// A lease, extended until this is dropped and released then.
#[derive(Debug)]
pub struct Lease {
    lost: CancellationToken,
    _held: DropGuard,
}

impl Lease {
    /// Waits until the lease is lost: another node may have claimed it, as it could not be extended
    /// in time. The work ends then.
    pub async fn lost(&self) {
        self.lost.cancelled().await;
    }
}

impl Leases {
    /// Leases that last for 30 s when their node dies.
    #[must_use]
    pub fn new(database: Database) -> Self {
        Self { database, term: TERM, extending: TaskTracker::new() }
    }

    /// The same with another time after which the lease of a dead node is free.
    #[must_use]
    pub fn lasting(self, term: Duration) -> Self {
        Self { term, ..self }
    }

    /// Claims the lease of `work`, which can be had once in `every`, and at once after its release
    /// where that is zero. None when it was claimed in this interval, or is still held.
    ///
    /// The interval is counted from the last claim of any node, so who asks often misses none by a
    /// restart. A lease is free a twentieth of the interval early, a second at most, since no two
    /// ticks of a node are exactly as far apart as others. The very first claim succeeds at once.
    ///
    /// # Errors
    /// What PostgreSQL says.
    pub async fn claim(&self, work: &str, every: Duration) -> Result<Option<Lease>, sqlx::Error> {
        let claimed_at = Instant::now();
        let holder: Option<String> = sqlx::query_scalar(
            "insert into _banyan.turns as lease (work, taken_at, holder, held_until)
            values ($1, clock_timestamp(), gen_random_uuid(), clock_timestamp() + make_interval(secs => $3))
            on conflict (work) do update
            set taken_at = excluded.taken_at, holder = excluded.holder, held_until = excluded.held_until
            where (
                lease.taken_at <= excluded.taken_at - make_interval(secs => $2 - least($2 / 20, 1))
                -- The clock went back.
                or lease.taken_at > excluded.taken_at + make_interval(secs => $2)
            )
            and (
                lease.held_until is null
                or lease.held_until <= excluded.taken_at
                -- The clock went back: no lease lasts for longer than this one would, save for the time
                -- that this statement waited for the row.
                or lease.held_until > excluded.held_until + make_interval(secs => $3)
            )
            returning holder::text",
        )
        .bind(work)
        .bind(every.as_secs_f64())
        .bind(self.term.as_secs_f64())
        .fetch_optional(self.database.pool(Login::Admin))
        .await?;
        Ok(holder.map(|holder| self.hold(Claim { work: work.to_owned(), holder }, claimed_at)))
    }

    /// Extends a lease until what is returned is dropped, and releases it then.
    fn hold(&self, claim: Claim, claimed_at: Instant) -> Lease {
        let (dropped, lost) = (CancellationToken::new(), CancellationToken::new());
        let lease = Lease { lost: lost.clone(), _held: dropped.clone().drop_guard() };
        let (database, term) = (self.database.clone(), self.term);
        self.extending.spawn(async move {
            tokio::select! {
                () = dropped.cancelled() => {}
                () = claim.extend_until_lost(&database, term, claimed_at) => {
                    tracing::warn!(work = claim.work, "the lease was lost: another node may do the same work");
                    lost.cancel();
                    return;
                }
            }
            if let Err(error) = claim.release(&database).await {
                tracing::warn!(work = claim.work, error = %error, "the lease was not released; it runs out by itself");
            }
        });
        lease
    }

    /// Waits until every lease that was dropped is released. To be called before the database is
    /// closed.
    pub async fn wait_released(&self) {
        self.extending.close();
        self.extending.wait().await;
    }
}

/// Whose lease it is.
struct Claim {
    work: String,
    holder: String,
}

impl Claim {
    /// Ends when the lease has run out or belongs to another.
    async fn extend_until_lost(&self, database: &Database, term: Duration, claimed_at: Instant) {
        let mut ends = claimed_at + term;
        loop {
            sleep(term / 3).await;
            let extended_at = Instant::now();
            match timeout_at(ends, self.extend(database, term)).await {
                Ok(Ok(true)) => ends = extended_at + term,
                Ok(Ok(false)) | Err(_) => return,
                Ok(Err(error)) => {
                    tracing::warn!(work = self.work, error = %error, "the lease could not be extended");
                    if Instant::now() >= ends {
                        return;
                    }
                }
            }
        }
    }

    /// False when the lease had run out and another node has claimed it.
    async fn extend(&self, database: &Database, term: Duration) -> Result<bool, sqlx::Error> {
        let extended = sqlx::query(
            "update _banyan.turns
            set held_until = clock_timestamp() + make_interval(secs => $3)
            where work = $1 and holder = $2::uuid",
        )
        .bind(&self.work)
        .bind(&self.holder)
        .bind(term.as_secs_f64())
        .execute(database.pool(Login::Admin))
        .await?;
        Ok(extended.rows_affected() > 0)
    }

    async fn release(&self, database: &Database) -> Result<(), sqlx::Error> {
        sqlx::query(
            "update _banyan.turns
            set holder = null, held_until = null
            where work = $1 and holder = $2::uuid",
        )
        .bind(&self.work)
        .bind(&self.holder)
        .execute(database.pool(Login::Admin))
        .await
        .map(drop)
    }
}
