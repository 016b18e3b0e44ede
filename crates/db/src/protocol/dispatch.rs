//! Runs pipelines: on a shared connection or on one of their own, and again where that is safe.

use std::{sync::Arc, time::Instant};

use bytes::Bytes;

use super::{
    Connection, Failure, Pipeline, PipelineWriter, Pool,
    pipeline::Response,
    pool::PooledConnection,
    shared_connection::Outcome,
    statement_stats::StatementStats,
    streaming::{LARGEST_WITHOUT_PERMIT, Streaming},
};
use crate::{Rows, RunError};

/// Most bytes of a request's values that are sent on a shared connection.
pub(crate) const LARGEST_SHARED: usize = 32 << 10;

/// Writes the statements of a pipeline, and gives the place of the one whose rows are wanted. It
/// may be called twice.
pub(crate) trait Write: Fn(&mut PipelineWriter<'_>) -> Result<usize, RunError> {}

impl<F: Fn(&mut PipelineWriter<'_>) -> Result<usize, RunError>> Write for F {}

/// Runs on a shared connection; none where it could not, and is to run on one of its own.
///
/// Only reads may share: they may be run again elsewhere, take no row locks, and do not wait for
/// the disk at their commit. Only statements that are known to be short share: whoever is behind a
/// long one has to wait for it.
pub(crate) async fn shared(
    pool: &Pool,
    write: impl Write,
    stats: &Arc<StatementStats>,
) -> Option<Result<Rows, RunError>> {
    if !stats.is_short() {
        return None;
    }
    match pool.shared_connection()?.enqueue(stats, write)?.await {
        Ok(Outcome::Rows(rows)) => Some(Ok(rows)),
        Ok(Outcome::Refused(error)) => Some(Err(RunError::Database(error))),
        Ok(Outcome::RetryElsewhere) | Err(_) => None,
    }
}

/// Runs on a connection of its own, and collects all rows.
pub(crate) async fn whole(pool: &Pool, write: impl Write, stats: &StatementStats) -> Result<Rows, RunError> {
    match on_own_connection(pool, &write, stats, Streaming::Never).await? {
        (_, Response::Rows(rows)) => Ok(rows),
        (_, Response::Large(_) | Response::NoPermit(_)) => unreachable!("nothing is streamed"),
    }
}

/// Runs a read on a connection of its own. A large last column is streamed; where no permit is free
/// for that, a read that is repeatable is broken off and runs again once there is one.
pub(crate) async fn streamed(
    pool: &Pool,
    write: impl Write,
    stats: &StatementStats,
    is_repeatable: bool,
) -> Result<(PooledConnection, Response), RunError> {
    let if_free = |most| Streaming::IfFree { permits: pool.stream_permits(), most };
    if !is_repeatable {
        return on_own_connection(pool, &write, stats, if_free(usize::MAX)).await;
    }
    if stats.is_large() {
        // What was large may be small this time.
        let permit = pool.stream_permit().await;
        let streaming = permit.map_or_else(|_| if_free(LARGEST_WITHOUT_PERMIT), Streaming::Permitted);
        return on_own_connection(pool, &write, stats, streaming).await;
    }
    match on_own_connection(pool, &write, stats, if_free(LARGEST_WITHOUT_PERMIT)).await? {
        (connection, Response::NoPermit(_)) => {
            // Nobody has seen anything of it yet.
            drop(connection);
            let streaming = Streaming::Permitted(pool.stream_permit().await?);
            on_own_connection(pool, &write, stats, streaming).await
        }
        response => Ok(response),
    }
}

/// Runs on a connection of its own.
///
/// Two refusals concern the connection and not the caller, and are tried again, each at most once:
/// a plan that a schema change made stale, and a pooled connection that the server had closed.
async fn on_own_connection(
    pool: &Pool,
    write: &impl Write,
    stats: &StatementStats,
    mut streaming: Streaming<'_>,
) -> Result<(PooledConnection, Response), RunError> {
    let mut pooled = pool.acquire().await?;
    let response = match run(pooled.connection(), write, stats, &mut streaming).await {
        Err(Failure::Lost { unanswered: true, .. }) if pooled.is_reused() => {
            drop(pooled);
            pooled = pool.acquire_fresh().await?;
            run(pooled.connection(), write, stats, &mut streaming).await?
        }
        Err(Failure::Refused { error, .. }) if error.is_stale_plan() => {
            pooled.connection().prepared.forget_all();
            run(pooled.connection(), write, stats, &mut streaming).await?
        }
        outcome => outcome?,
    };
    Ok((pooled, response))
}

async fn run(
    connection: &mut Connection,
    write: &impl Write,
    stats: &StatementStats,
    streaming: &mut Streaming<'_>,
) -> Result<Response, Failure> {
    let mut pipeline = Pipeline::new(connection);
    let wanted = pipeline.write(write)?;
    let started = Instant::now();
    let response = pipeline.run_streaming(wanted, streaming).await?;
    let bytes = match &response {
        Response::Rows(rows) => rows.rows.iter().flatten().flatten().map(Bytes::len).sum(),
        Response::Large(large) => large.length,
        Response::NoPermit(length) => *length,
    };
    stats.count(started.elapsed(), bytes);
    Ok(response)
}
