//! `banyan migration up`: applies what is pending (CONTRACT.md CLI-MIGRATION-UP).

use banyan_db::migrations::{Order, Progress};

use crate::{
    arguments::Global,
    database::{self, Files},
    output, project, schema_reload,
};

pub(super) async fn run(global: &Global, include_all: bool) -> anyhow::Result<()> {
    let config = project::load(global)?;
    let database = database::connect(&config, &config.paths.state)?;
    let order = if include_all { Order::IncludeAll } else { Order::Strict };
    let files = Files { order, up_to: None, seeds: &[] };
    let mut tell = |step: Progress| output::note(step);
    let applied = database::migrate(&database, &config, &files, &mut tell).await;
    // Files before one that failed are applied as well.
    if applied.as_ref().map_or(true, |files| !files.is_empty()) {
        schema_reload::wait(&config, &database).await;
    }
    database.close().await;
    let message =
        if applied?.is_empty() { "Local database is up to date." } else { "Finished supabase migration up." };
    output::line(message);
    Ok(())
}
