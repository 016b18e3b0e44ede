//! Waits until a running stack has seen a change of the schema, so that the next request sees it
//! too.

use std::time::Duration;

use banyan_config::Config;
use banyan_db::{Database, Login};
use tokio::time::{sleep, timeout};

use crate::running_stack::{self, Record};

/// Longest wait. After that the command ends without knowing.
const LONGEST: Duration = Duration::from_secs(5);
/// Pause before asking again.
const PAUSE: Duration = Duration::from_millis(10);

/// Waits until the data API of a running stack has read the schema as it is by now. It is no
/// failure where nothing runs, or where it cannot: the change is made.
pub(crate) async fn wait(config: &Config, database: &Database) {
    let Some(record) = running_stack::running(&config.paths.state) else { return };
    // The stack of a folder may be on another database than a command that was given a URL.
    if record.db_port.is_none() == config.database.url.is_some() {
        let _ = timeout(LONGEST, reload(&record, database)).await;
    }
}

/// A load that begins after the change contains it, so the command requests one. The database
/// announces changes of tables and functions, but not when it has done so.
async fn reload(record: &Record, database: &Database) -> anyhow::Result<()> {
    let before = running_stack::schema_loads(record).await?.begun;
    sqlx::query("notify pgrst, 'reload schema'").execute(database.pool(Login::Postgres)).await?;
    loop {
        if running_stack::schema_loads(record).await?.serving > before {
            return Ok(());
        }
        sleep(PAUSE).await;
    }
}
