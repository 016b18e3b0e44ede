//! `banyan functions`.

/// `functions build`.
mod build;

/// The functions there are, and the crates they are made of.
mod crates;

/// `functions new`.
mod new;

/// `functions serve`.
mod serve;

use crate::arguments::{FunctionsCommand, Global};

pub(super) async fn run(global: &Global, command: FunctionsCommand) -> anyhow::Result<()> {
    match command {
        FunctionsCommand::New { slug } => new::run(global, &slug),
        FunctionsCommand::Build { slugs } => build::run(global, &slugs),
        FunctionsCommand::Serve => serve::run(global).await,
    }
}

/// Whether a name can be a function's: `^[A-Za-z][A-Za-z0-9_-]*$` (stack.md 1.2).
fn is_slug(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}
