//! `banyan functions`: a file for each subcommand, what several of them share, and the templates of
//! a new function.

/// `functions build`.
mod build;

/// The functions there are, and the crates they are made of.
mod function_sources;

/// `functions deploy`.
mod deploy;

/// `functions list`, `delete`, `download`, `rollback`.
mod deployed;

/// Folders that are there whole or not at all.
mod atomic_folder;

/// `functions logs`.
mod logs;

/// `functions new`.
mod new;

/// The crate that functions stand on.
mod sdk;

/// `functions serve`.
mod serve;

/// Functions that are there as a source alone.
mod unbuilt_functions;

/// Sources and configuration that change.
mod watch;

/// The workspace of the functions that `new` writes.
mod workspace;

pub(super) use unbuilt_functions::{is_there, warn as warn_of_unbuilt};
pub(super) use watch::config as watch_config;

use crate::{
    arguments::{FunctionsCommand, Global},
    management::Management,
};

pub(super) async fn run(global: &Global, command: FunctionsCommand) -> anyhow::Result<()> {
    match command {
        FunctionsCommand::New { slug, auth } => new::run(global, &slug, auth),
        FunctionsCommand::Build { slugs } => build::run(global, &slugs),
        FunctionsCommand::Serve(asked) => serve::run(global, asked).await,
        FunctionsCommand::Deploy(asked) => deploy::run(global, asked).await,
        FunctionsCommand::List { slug: None, target } => deployed::list(global, &target).await,
        FunctionsCommand::List { slug: Some(slug), target } => {
            deployed::list_versions(global, &Management::of(global, &target)?, &slug).await
        }
        FunctionsCommand::Delete { slug, target } => deployed::delete(global, &target, &slug).await,
        FunctionsCommand::Download { slug, target } => {
            deployed::download(global, &Management::of(global, &target)?, &slug).await
        }
        FunctionsCommand::Rollback { slug, to, target } => {
            deployed::roll_back(global, &target, &slug, to).await
        }
        FunctionsCommand::Logs { slug, follow, target } => {
            logs::run(&Management::of(global, &target)?, slug.as_deref(), follow, global.output).await
        }
    }
}
