//! One file per command.

/// `db`.
mod db;

/// `functions`.
mod functions;

/// `gen`.
mod generate;

/// `init`.
mod init;

/// `migration`.
mod migration;

/// `secrets`.
mod secrets;

/// `seed`.
mod seed;

/// `serve`.
mod serve;

/// `serve rest`.
mod serve_rest;

/// `start`.
mod start;

/// `status`.
mod status;

/// `stop`.
mod stop;

/// `storage`.
mod storage;

use crate::arguments::{Arguments, Command, SeedCommand, ServeCommand};

/// Runs the command that was asked for.
pub(crate) async fn run(arguments: Arguments) -> anyhow::Result<()> {
    let Arguments { global, command } = arguments;
    match command {
        Command::Init { force } => init::run(&global, force),
        Command::Start { new_data } => start::run(&global, new_data).await,
        Command::Serve { service: Some(ServeCommand::Rest { config, file }), .. } => {
            Box::pin(serve_rest::run(&global, config.or(file).as_deref())).await
        }
        Command::Serve { detached, new_data, log_format, service: None } => {
            Box::pin(serve::run(&global, detached, new_data, log_format)).await
        }
        Command::Stop { no_backup } => stop::run(&global, no_backup).await,
        Command::Status { override_name } => status::run(&global, &override_name),
        Command::Db(command) => Box::pin(db::run(&global, command)).await,
        Command::Migration(command) => Box::pin(migration::run(&global, command)).await,
        Command::Functions(command) => Box::pin(functions::run(&global, command)).await,
        Command::Secrets(command) => secrets::run(&global, command).await,
        Command::Storage { place, command } => Box::pin(storage::run(&global, &place, &command)).await,
        Command::Seed(SeedCommand::Buckets { .. }) => seed::buckets(&global).await,
        Command::Gen(command) => generate::run(&global, command).await,
    }
}
