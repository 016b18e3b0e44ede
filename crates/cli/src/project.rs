//! The project that a command works on.

use std::path::PathBuf;

use anyhow::Context;
use banyan_config::{Config, Environment, Keys, Stopping};

use crate::{arguments::Global, output};

/// The folder that a command starts from.
pub(crate) fn folder(global: &Global) -> anyhow::Result<PathBuf> {
    match &global.workdir {
        Some(folder) => folder.canonicalize().with_context(|| format!("cannot find {}", folder.display())),
        None => std::env::current_dir().context("cannot find the working folder"),
    }
}

/// Reads the configuration of the project at or above the folder.
pub(crate) fn load(global: &Global) -> anyhow::Result<Config> {
    Ok(banyan_config::load(&folder(global)?, Environment::of_process(), global.port_offset)?.config)
}

/// The same, and says what in the files has no effect. Templates of mails are read here as well, so that whatever is wrong with
/// the settings is told before anything runs.
pub(crate) fn load_with_warnings(global: &Global) -> anyhow::Result<Config> {
    let loaded = banyan_config::load(&folder(global)?, Environment::of_process(), global.port_offset)?;
    let doubts = banyan_server::doubtful_templates(&loaded.config.auth)?;
    for warning in loaded.warnings.iter().chain(&doubts) {
        output::note(format_args!("WARN: {warning}"));
    }
    Ok(loaded.config)
}

/// The file of `auth.signing_keys_path`, whether or not it exists yet.
pub(crate) fn signing_keys_file(global: &Global) -> anyhow::Result<Option<PathBuf>> {
    Ok(banyan_config::signing_keys_file(&folder(global)?, Environment::of_process())?)
}

/// What a stop has to know; what is wrong with the rest is a warning.
pub(crate) fn stopping(global: &Global) -> anyhow::Result<Stopping> {
    let stopping = banyan_config::stopping(&folder(global)?, Environment::of_process())?;
    for mistake in stopping
        .mistakes
        .iter()
        .flat_map(|error| error.to_string().lines().map(str::to_owned).collect::<Vec<_>>())
    {
        output::note(format_args!("WARN: {mistake}"));
    }
    Ok(stopping)
}

/// The keys as far as they are there, whatever else the configuration lacks.
pub(crate) fn keys_so_far(global: &Global) -> anyhow::Result<Keys> {
    Ok(banyan_config::keys_so_far(&folder(global)?, Environment::of_process())?)
}
