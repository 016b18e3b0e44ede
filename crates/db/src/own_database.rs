//! The database as one of the stack's own logins, for fixed SQL of a service in one pipeline.
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

/// A handle as one login ([`crate::Database::own`]); clones share the connections.
#[derive(Debug, Clone)]
pub struct OwnDatabase {
    pool: Pool,
}

impl OwnDatabase {
    pub(crate) fn new(pool: Pool) -> Self {
        Self { pool }
    }

    /// Reads by one statement, in one pipeline; short reads share connections.
    ///
    /// The statement must only read, and must be no `begin`: it may be run a second time, when a
    /// connection ends meanwhile. Dropping the future is safe.
    ///
    /// # Errors
    /// As [`crate::Database::run_as`].
    pub async fn read(&self, statement: &Statement) -> Result<Rows, RunError> {
        let stats = self.pool.stats().of(&statement.text);
        let write = |writer: &mut PipelineWriter<'_>| write_one(writer, statement);
        if size(statement) <= LARGEST_SHARED
            && let Some(outcome) = dispatch::shared(&self.pool, write, &stats).await
        {
            return outcome;
        }
        dispatch::whole(&self.pool, write, &stats).await
    }

    /// Runs statements in one transaction of their own, with its commit in the same pipeline. Each
    /// sees what those before it did; the rows are those of the last one.
    ///
    /// Dropping the future cancels them, unless they were already committing. They wait for each
    /// lock at most 5 s ([`RunError::is_lock_timeout`]).
    ///
    /// They are sent a second time in two cases alone, in both of which PostgreSQL has said that it
    /// rolled back: a plan that a schema change made stale, and a pooled connection that the server
    /// ended before it completed the first of them. An answer that is lost is an error
    /// ([`RunError::may_have_committed`]). Who puts a pooler in between has its word for the
    /// server's: so write statements that change nothing, or little that matters, a second time.
    ///
    /// # Errors
    /// As [`crate::Database::run_as`].
    pub async fn write(&self, first: &Statement, rest: &[Statement]) -> Result<Rows, RunError> {
        // Their time counts for the first, since the last may be one that is also read by itself.
        let stats = self.pool.stats().of(&first.text);
        let write = |writer: &mut PipelineWriter<'_>| {
            write_one(writer, first)?;
            rest.iter().try_for_each(|statement| write_one(writer, statement).map(drop))?;
            Ok(rest.len())
        };
        dispatch::whole(&self.pool, write, &stats).await
    }
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
