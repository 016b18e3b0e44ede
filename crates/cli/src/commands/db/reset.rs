//! `banyan db reset`: makes the database of the running stack anew (CONTRACT.md CLI-DB-RESET).

use anyhow::{Context, bail};
use banyan_config::Config;
use banyan_db::{
    Database,
    migrations::{self, Order},
};

use banyan_identity::Clock;
use banyan_storage::KeptStack;

use crate::{
    arguments::{Global, Reset},
    bucket_seeds,
    commands::serve,
    database::{self, Files},
    output, project,
    reset_marker::ResetMarker,
    running_stack, schema_reload,
};

pub(super) async fn run(global: &Global, options: &Reset) -> anyhow::Result<()> {
    let config = project::load(global)?;
    if config.database.url.is_some() && !global.yes {
        bail!("this deletes everything in the database of BANYAN_DATABASE_URL: say --yes if that is wanted");
    }
    let up_to = last_version(&config, options)?;
    let database = database::connect(&config, &config.paths.state)?;
    let marker = match config.database.url {
        Some(_) => None,
        None => Some(begin(&config)?),
    };
    let stack = kept_stack(&database, &config, marker.as_ref()).await?;
    output::note("Resetting local database...");
    output::note("Recreating database...");
    match &marker {
        Some(_) => migrations::recreate_server(&database).await?,
        None => recreate(&database).await?,
    }
    let tell: &Tell = &|step| output::note(step);
    let seeds = seeds(&config, options);
    let files = Files { order: Order::IncludeAll, up_to: up_to.as_deref(), seeds: &seeds };
    fill(&database, &config, (marker, stack), &files, tell).await?;
    schema_reload::wait(&config, &database).await;
    database.close().await;
    if let Some(record) = running_stack::running(&config.paths.state) {
        bucket_seeds::seed_new(&config, &record.api_url, tell).await;
    }
    output::line("Finished supabase db reset.");
    Ok(())
}

/// Prints the steps of a reset.
type Tell = dyn Fn(String) + Send + Sync;

/// Marks the reset as begun. Until it ends, the database does not belong to the project.
fn begin(config: &Config) -> anyhow::Result<ResetMarker> {
    let marker = ResetMarker::begin(&config.paths.state)?;
    serve::unmark_prepared(&config.paths.state)?;
    Ok(marker)
}

/// Completes a reset of the embedded database that was broken off: all migrations and seeds follow.
pub(crate) async fn complete(
    database: &Database,
    config: &Config,
    marker: ResetMarker,
    tell: &Tell,
) -> anyhow::Result<()> {
    tell("Completing the `banyan db reset` that was broken off...".to_owned());
    let mut stack = None;
    if marker.is_of_server()? {
        stack = kept_stack(database, config, Some(&marker)).await?;
        migrations::recreate_server(database).await?;
    } else {
        migrations::end_killed(database).await?;
    }
    let seeds = database::seeds(config);
    let files = Files { order: Order::IncludeAll, up_to: None, seeds: &seeds };
    fill(database, config, (Some(marker), stack), &files, tell).await
}

/// The id under which the bytes of objects lie, for the database that is made anew. The sweep then
/// puts the bytes of before aside for seven days (storage/CONTRACT.md K11). A reset that was broken
/// off has noted it, since its database may be gone.
async fn kept_stack(
    database: &Database,
    config: &Config,
    marker: Option<&ResetMarker>,
) -> anyhow::Result<Option<KeptStack>> {
    if !config.storage.enabled {
        return Ok(None);
    }
    if let Some(noted) = marker.map(ResetMarker::kept_stack).transpose()?.flatten() {
        return Ok(Some(noted));
    }
    let now = Clock::system().now();
    let stack = KeptStack::before_reset(&config.storage, database, now).await?;
    if let (Some(marker), Some(stack)) = (marker, stack) {
        marker.keep_stack(stack)?;
    }
    Ok(stack)
}

/// Puts what the stack needs and the project's own into a database that is empty.
async fn fill(
    database: &Database,
    config: &Config,
    (marker, stack): (Option<ResetMarker>, Option<KeptStack>),
    files: &Files<'_>,
    tell: &Tell,
) -> anyhow::Result<()> {
    tell("Initialising schema...".to_owned());
    database::prepare(database, config).await?;
    if let Some(stack) = stack {
        stack.after_reset(&config.storage, database).await?;
    }
    if let Some(marker) = &marker {
        marker.server_is_made()?;
    }
    database::fill(database, config, files, &|step| tell(step.to_string())).await?;
    if let Some(marker) = marker {
        serve::mark_prepared(&config.paths.state)?;
        marker.end()?;
    }
    Ok(())
}

/// On somebody else's server roles stay, since other databases may need them, and are named: a
/// migration that makes them fails.
async fn recreate(database: &Database) -> anyhow::Result<()> {
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
