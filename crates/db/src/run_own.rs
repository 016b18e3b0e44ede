//! Fixed SQL of a service, as the service's own login, in one pipeline.
//!
//! It is for the few requests that a service is asked most: everything else goes through
//! [`crate::Database::pool`], whose statements are checked when the service is compiled. Such a
//! request is one write and one read of a socket, and short reads of several requests share them.

use bytes::Bytes;

use crate::{
    Param, Rows, RunError, Statement,
    protocol::{
        PipelineWriter, Pool,
        dispatch::{self, LARGEST_SHARED},
    },
};

/// Runs a statement that only reads. It may be run a second time elsewhere, when a connection ends
/// meanwhile.
pub(crate) async fn read(pool: &Pool, statement: &Statement) -> Result<Rows, RunError> {
    let stats = pool.stats().of(&statement.text);
    let write = |writer: &mut PipelineWriter<'_>| write_one(writer, statement);
    if size(statement) <= LARGEST_SHARED
        && let Some(outcome) = dispatch::shared(pool, write, &stats).await
    {
        return outcome;
    }
    dispatch::whole(pool, write, &stats).await
}

/// Runs statements in one transaction of their own, and gives the rows of the last one. Their time
/// counts for the first, since the last may be one that is also read by itself.
pub(crate) async fn write(pool: &Pool, (first, rest): (&Statement, &[Statement])) -> Result<Rows, RunError> {
    let stats = pool.stats().of(&first.text);
    let write = |writer: &mut PipelineWriter<'_>| {
        write_one(writer, first)?;
        rest.iter().try_for_each(|statement| write_one(writer, statement).map(drop))?;
        Ok(rest.len())
    };
    dispatch::whole(pool, write, &stats).await
}

/// The rights of the login itself apply, so nothing is sent before the statement.
fn write_one(writer: &mut PipelineWriter<'_>, statement: &Statement) -> Result<usize, RunError> {
    let values = statement.params.iter().map(|Param { value, type_oid }| (value.as_deref(), *type_oid));
    writer.step("", &statement.text, values)?;
    Ok(0)
}

fn size(statement: &Statement) -> usize {
    statement.params.iter().filter_map(|param| param.value.as_ref()).map(Bytes::len).sum()
}
