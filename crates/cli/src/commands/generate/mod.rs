//! `banyan gen`.

/// `gen types`.
mod types;

/// `gen signing-key`.
mod signing_key;

/// `gen bearer-jwt`.
mod bearer_jwt;

use banyan_identity::Clock;

use crate::arguments::{GenCommand, Global};

pub(crate) async fn run(global: &Global, command: GenCommand) -> anyhow::Result<()> {
    match command {
        GenCommand::Types { language, schema, local: _ } => types::run(global, language, schema).await,
        GenCommand::SigningKey { algorithm, append } => signing_key::run(global, algorithm, append),
        GenCommand::BearerJwt(wanted) => bearer_jwt::run(global, &wanted, Clock::system().now()),
    }
}
