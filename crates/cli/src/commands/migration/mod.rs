//! `banyan migration`.

/// `migration list`.
mod list;

/// `migration new`.
mod new;

/// `migration repair`.
mod repair;

/// `migration up`.
mod up;

use crate::arguments::{Global, MigrationCommand};

pub(super) async fn run(global: &Global, command: MigrationCommand) -> anyhow::Result<()> {
    match command {
        MigrationCommand::New { name } => new::run(global, &name),
        MigrationCommand::List { local: _ } => Box::pin(list::run(global)).await,
        MigrationCommand::Up { include_all, local: _ } => Box::pin(up::run(global, include_all)).await,
        MigrationCommand::Repair { versions, status, local: _ } => {
            Box::pin(repair::run(global, &versions, status)).await
        }
    }
}
