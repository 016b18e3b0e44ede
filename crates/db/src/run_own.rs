//! Fixed SQL of a service, as the service's own login, in one flight.
//!
//! It is for the few requests that a service is asked most: everything else goes through [`crate::Database::pool`], whose
//! statements are checked when the service is compiled. Such a request is one write and one read of a socket, and short
//! reads of several requests share them.

use bytes::Bytes;

use crate::{
    Param, Rows, RunError, Statement,
    flight::{Manifest, Pool},
    run_as::{LARGEST_SHARED, shared, whole},
};

/// Runs a statement that only reads. It may be run a second time elsewhere, when a connection ends meanwhile.
pub(crate) async fn read(pool: &Pool, statement: &Statement) -> Result<Rows, RunError> {
    let habit = pool.habits().of(&statement.text);
    let load = |manifest: &mut Manifest<'_>| load(manifest, statement);
    if habit.is_short()
        && size(statement) <= LARGEST_SHARED
        && let Some(outcome) = shared(pool, load, &habit).await
    {
        return outcome;
    }
    whole(pool, load, &habit).await
}

/// Runs statements in one transaction of their own, and gives the rows of the last one. What they take is booked to the first,
/// since the last may be one that others read by alone.
pub(crate) async fn write(pool: &Pool, (first, rest): (&Statement, &[Statement])) -> Result<Rows, RunError> {
    let habit = pool.habits().of(&first.text);
    let load = |manifest: &mut Manifest<'_>| {
        load(manifest, first)?;
        rest.iter().try_for_each(|statement| load(manifest, statement).map(drop))?;
        Ok(rest.len())
    };
    whole(pool, load, &habit).await
}

/// The login's own rights apply; it is told nothing first.
fn load(manifest: &mut Manifest<'_>, statement: &Statement) -> Result<usize, RunError> {
    let values = statement.params.iter().map(|Param { value, type_oid }| (value.as_deref(), *type_oid));
    manifest.step("", &statement.text, values)?;
    Ok(0)
}

fn size(statement: &Statement) -> usize {
    statement.params.iter().filter_map(|param| param.value.as_ref()).map(Bytes::len).sum()
}
