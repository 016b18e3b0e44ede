//! `banyan db`.

/// `db reset`.
mod reset;

use crate::arguments::{DbCommand, Global};

pub(super) async fn run(global: &Global, command: DbCommand) -> anyhow::Result<()> {
    match command {
        DbCommand::Reset(options) => reset::run(global, &options).await,
    }
}
