//! The days of `realtime.messages`: partitions that come and go (CONTRACT.md D8), and the
//! publication by which they are read (CONTRACT.md O7).

use std::time::Duration;

use banyan_db::{Database, Leases, Login, Statement};
use tokio_util::sync::CancellationToken;

/// The lease under which one node makes and drops partitions.
const LEASE: &str = "partitions of realtime";
/// Pause between two rounds.
const PAUSE: Duration = Duration::from_secs(3600);

/// Keeps the partitions of `realtime.messages` from yesterday to three days ahead in existence, and
/// drops those of days that ended 72 hours ago: at once, then every hour on one node of all, until
/// it is told to stop. Dropping the future is safe.
pub async fn keep_partitions(database: Database, leases: Leases, stop: CancellationToken) {
    let rounds = async {
        // A stack that was off for days has no partition for today.
        report(keep(&database).await);
        loop {
            tokio::time::sleep(PAUSE).await;
            report(keep_in_turn(&database, &leases).await);
        }
    };
    tokio::select! {
        () = stop.cancelled() => {}
        () = rounds => {}
    }
    leases.wait_released().await;
}

async fn keep_in_turn(database: &Database, leases: &Leases) -> Result<(), String> {
    let lease = leases.claim(LEASE, PAUSE).await.map_err(|error| error.to_string())?;
    match lease {
        Some(_lease) => keep(database).await,
        None => Ok(()),
    }
}

/// As superuser: a dump may have brought partitions and a publication of another owner.
async fn keep(database: &Database) -> Result<(), String> {
    for function in ["realtime_keep_partitions", "realtime_keep_publication"] {
        let statement = Statement::new(format!("select _banyan.{function}()"), Vec::new());
        let outcome = database.own(Login::Admin).write(&statement, &[]).await;
        outcome.map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn report(done: Result<(), String>) {
    if let Err(error) = done {
        tracing::warn!(
            error,
            code = "PartitionCreationFailed",
            "realtime: partitions are not kept; the next try is in an hour"
        );
    }
}

#[cfg(test)]
mod tests {
    use banyan_testkit::platform_database;

    use super::*;

    // rows: D8 O7
    #[tokio::test]
    async fn a_start_makes_what_is_missing_and_later_rounds_are_done_by_one_node() {
        let database = Box::pin(platform_database()).await;
        let own = database.own(Login::Admin);
        let run = async |sql: &str| own.write(&Statement::new(sql, Vec::new()), &[]).await.expect("runs");
        run("drop publication supabase_realtime_messages_publication").await;
        run("select _banyan.realtime_add_partition((now() at time zone 'utc')::date - 5)").await;
        let kept = "
            select (select count(*) from pg_inherits where inhparent = 'realtime.messages'::regclass)
                + (select count(*) from pg_publication where pubname = 'supabase_realtime_messages_publication')";
        assert_eq!(run(kept).await.text(0, 0), Some("6"));
        keep(&database).await.expect("kept");
        assert_eq!(run(kept).await.text(0, 0), Some("6"), "a partition less, and the publication");
        let leases = Leases::new(Database::clone(&database));
        keep_in_turn(&database, &leases).await.expect("kept");
        run("drop publication supabase_realtime_messages_publication").await;
        keep_in_turn(&database, &leases).await.expect("another node has done it");
        assert_eq!(run(kept).await.text(0, 0), Some("5"));
        leases.wait_released().await;
    }
}
