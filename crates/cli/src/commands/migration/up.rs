//! `banyan migration up`: applies what is pending (CONTRACT.md CLI-MIGRATION-UP).

use banyan_db::migrations::{self, Order, Progress};

use crate::{arguments::Global, database, output, project};

pub(super) async fn run(global: &Global, include_all: bool) -> anyhow::Result<()> {
    let config = project::load(global)?;
    let database = database::connect(&config, &config.paths.state)?;
    let order = if include_all { Order::IncludeAll } else { Order::Strict };
    let mut tell = |step: Progress| output::note(step);
    let applied = migrations::apply(&database, &config.paths.migrations(), order, None, &mut tell).await;
    database.close().await;
    let message =
        if applied?.is_empty() { "Local database is up to date." } else { "Finished supabase migration up." };
    output::line(message);
    Ok(())
}
