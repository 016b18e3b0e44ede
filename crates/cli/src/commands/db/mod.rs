//! `banyan db`.

/// `db query`.
mod query;

/// Rows as JSON.
mod objects;

/// `db reset`.
mod reset;

use crate::arguments::{DbCommand, Global};

pub(super) use reset::complete as complete_reset;

pub(super) async fn run(global: &Global, command: DbCommand) -> anyhow::Result<()> {
    match command {
        DbCommand::Query { sql, file, local: _ } => query::run(global, sql, file.as_deref()).await,
        DbCommand::Reset(options) => Box::pin(reset::run(global, &options)).await,
    }
}
