//! Bytes of the objects of each owner (`_banyan.storage_usage`).

use banyan_db::{OwnDatabase, RunError, Statement};

use super::text;

const COUNT: &str = "select _banyan.storage_set_usage($1::boolean)";

/// Begins or ends to count. Uploads wait while all objects are counted, once.
pub(crate) async fn count(db: &OwnDatabase, is_on: bool) -> Result<(), RunError> {
    db.write(&Statement::new(COUNT, vec![text(&is_on.to_string())]), &[]).await.map(drop)
}
