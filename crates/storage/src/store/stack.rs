//! The id of the stack (`_banyan.storage_stack`).

use banyan_db::{OwnDatabase, RunError, Statement};
use uuid::Uuid;

use super::text;

const FIND: &str = "
select id
from _banyan.storage_stack";

/// Of two nodes that start at a time, one makes the id.
const KEEP: &str = "
insert into _banyan.storage_stack (id)
values ($1::uuid)
on conflict do nothing";

const HAS_OBJECTS: &str = "
select exists (select from storage.objects where version is not null)";

/// The id of the stack; none in a database that is new.
pub(crate) async fn find(db: &OwnDatabase) -> Result<Option<Uuid>, RunError> {
    let rows = db.read(&Statement::new(FIND, vec![])).await?;
    Ok(rows.text(0, 0).and_then(|id| id.parse().ok()))
}

/// Gives a database that is new this id.
pub(crate) async fn keep(db: &OwnDatabase, id: Uuid) -> Result<(), RunError> {
    db.write(&Statement::new(KEEP, vec![text(&id.to_string())]), &[]).await.map(drop)
}

/// Whether any object should have bytes.
pub(crate) async fn has_objects(db: &OwnDatabase) -> Result<bool, RunError> {
    let rows = db.read(&Statement::new(HAS_OBJECTS, vec![])).await?;
    Ok(rows.text(0, 0) == Some("t"))
}
