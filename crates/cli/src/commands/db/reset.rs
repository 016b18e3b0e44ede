//! `banyan db reset`: makes the database of the running stack anew (stack.md 1.4).

use anyhow::{Context, bail};
use banyan_config::Config;
use banyan_db::{Database, migrations};

use crate::{
    arguments::{Global, Reset},
    commands::serve,
    database, output, project,
};

pub(super) async fn run(global: &Global, options: &Reset) -> anyhow::Result<()> {
    let config = project::load(global)?;
    if config.database.url.is_some() && !global.yes {
        bail!("this deletes everything in the database of BANYAN_DATABASE_URL: say --yes if that is wanted");
    }
    let up_to = last_version(&config, options)?;
    let database = database::connect(&config, &config.paths.state)?;
    output::note("Resetting local database...");
    output::note("Recreating database...");
    recreate(&database, &config).await?;
    output::note("Initialising schema...");
    database::prepare(&database, &config).await?;
    let seeds = seeds(&config, options);
    database::fill(&database, &config, up_to.as_deref(), &seeds, &|step| output::note(step)).await?;
    database.close().await;
    if config.database.url.is_none() {
        serve::mark_prepared(&config.paths.state)?;
    }
    output::line("Finished supabase db reset.");
    Ok(())
}

/// A server of our own becomes as new. On another one roles stay, since other databases may need them, and are named: a
/// migration that makes them fails.
async fn recreate(database: &Database, config: &Config) -> anyhow::Result<()> {
    if config.database.url.is_none() {
        return Ok(migrations::recreate_server(database).await?);
    }
    let roles = migrations::recreate(database).await?;
    if !roles.is_empty() {
        output::note(format_args!(
            "WARN: roles belong to the server and stay, with their settings: {}. A migration that creates one of them \
             fails; `drop role` takes it away",
            roles.join(", ")
        ));
    }
    Ok(())
}

/// The version to stop at; none means all.
fn last_version(config: &Config, options: &Reset) -> anyhow::Result<Option<String>> {
    let files = migrations::list(&config.paths.migrations())?.files;
    if let Some(version) = &options.version {
        let known = files.iter().any(|file| file.version == *version);
        return if known {
            Ok(Some(version.clone()))
        } else {
            bail!("there is no migration with version {version}")
        };
    }
    let Some(last) = options.last.filter(|last| *last > 0) else { return Ok(None) };
    let keep = files.len().checked_sub(last).filter(|keep| *keep > 0);
    let keep = keep
        .with_context(|| format!("--last must be smaller than {}, the number of migrations", files.len()))?;
    Ok(Some(files[keep - 1].version.clone()))
}

fn seeds(config: &Config, options: &Reset) -> Vec<String> {
    if options.no_seed {
        Vec::new()
    } else if options.sql_paths.is_empty() {
        database::seeds(config)
    } else {
        options.sql_paths.clone()
    }
}
