//! `banyan secrets`: what functions see beside the platform's own variables (functions.md V05).

use std::collections::BTreeMap;

use anyhow::{Context, bail};
use banyan_config::environment::read_env_file;
use http::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    arguments::{Global, SecretsCommand},
    management::Management,
    output,
};

/// One secret as the Management API shows it: the value is a digest.
#[derive(Debug, Deserialize)]
struct Shown {
    name: String,
    value: String,
}

pub(super) async fn run(global: &Global, command: SecretsCommand) -> anyhow::Result<()> {
    match command {
        SecretsCommand::Set { secrets, env_file, target } => {
            let mut all = BTreeMap::new();
            if let Some(path) = env_file {
                let read = read_env_file(&path)?;
                anyhow::ensure!(!read.is_empty(), "{} holds no secret", path.display());
                all.extend(read);
            }
            for secret in &secrets {
                let (name, value) = secret
                    .split_once('=')
                    .with_context(|| format!("Invalid secret pair: {secret}. Must be NAME=VALUE."))?;
                all.insert(name.to_owned(), value.to_owned());
            }
            if all.is_empty() {
                bail!("No arguments found. Use --env-file to read from a .env file.");
            }
            let all: Vec<_> = all.iter().map(|(name, value)| json!({"name": name, "value": value})).collect();
            Management::of(global, &target)?.change(Method::POST, "/secrets", &all).await?;
            output::line("Finished supabase secrets set.");
        }
        SecretsCommand::List { target } => {
            let all: Value = Management::of(global, &target)?.get("/secrets").await?;
            let shown: Vec<Shown> = serde_json::from_value(all.clone())?;
            let rows: Vec<_> = shown.into_iter().map(|secret| [secret.name, secret.value]).collect();
            output::table_or_json(global.output, ["NAME", "DIGEST"], &rows, &all)?;
        }
        SecretsCommand::Unset { names, target } => {
            let stack = Management::of(global, &target)?;
            let known: Vec<Shown> = stack.get("/secrets").await?;
            let is_known = |name: &&String| known.iter().any(|secret| secret.name == **name);
            let (names, unknown): (Vec<_>, Vec<_>) = names.iter().partition(is_known);
            for name in unknown {
                output::note(format_args!("There is no secret {name}."));
            }
            anyhow::ensure!(!names.is_empty(), "No secret was unset.");
            stack.change(Method::DELETE, "/secrets", &names).await?;
            output::line("Finished supabase secrets unset.");
        }
    }
    Ok(())
}
