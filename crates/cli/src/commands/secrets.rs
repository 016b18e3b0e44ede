//! `banyan secrets`: the variables that functions see in addition to those of the platform
//! (edge/CONTRACT.md V05).

use std::{collections::BTreeMap, path::Path};

use anyhow::{Context, bail, ensure};
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
            let all = chosen(&secrets, env_file.as_deref())?;
            all.remarks.iter().for_each(output::note);
            if all.secrets.is_empty() {
                bail!("No arguments found. Use --env-file to read from a .env file.");
            }
            let all: Vec<_> =
                all.secrets.iter().map(|(name, value)| json!({"name": name, "value": value})).collect();
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
            ensure!(!names.is_empty(), "No secret was unset.");
            stack.change(Method::DELETE, "/secrets", &names).await?;
            output::line("Finished supabase secrets unset.");
        }
    }
    Ok(())
}

/// The secrets that `secrets set` sends, and the remarks that it prints first.
#[derive(Debug, Default, PartialEq, Eq)]
struct Chosen {
    secrets: BTreeMap<String, String>,
    remarks: Vec<String>,
}

/// The secrets of the file and, over them, those of the command line. No message holds a value.
fn chosen(pairs: &[String], env_file: Option<&Path>) -> anyhow::Result<Chosen> {
    let mut all = Chosen::default();
    if let Some(path) = env_file {
        ensure!(path.exists(), "there is no file {}", path.display());
        let read = read_env_file(path)?;
        ensure!(!read.variables.is_empty(), "{} holds no secret", path.display());
        all = Chosen { secrets: read.variables, remarks: read.doubts };
    }
    for (place, pair) in pairs.iter().enumerate() {
        // A text that is no name may be a secret that was meant to be the value.
        let (name, value) = pair
            .split_once('=')
            .filter(|(name, _)| is_name(name))
            .with_context(|| format!("Invalid secret pair: argument {}. Must be NAME=VALUE.", place + 1))?;
        all.secrets.insert(name.to_owned(), value.to_owned());
    }
    let Chosen { secrets, remarks } = &mut all;
    secrets.retain(|name, _| {
        let reserved = name.starts_with("SUPABASE_");
        if reserved {
            remarks.push(format!("Env name cannot start with SUPABASE_, skipping: {name}"));
        }
        !reserved
    });
    Ok(all)
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn secrets_a_key_of_several_lines_is_one_secret_and_arguments_win() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let key = "-----BEGIN KEY-----\nYWJj\nZA==\n-----END KEY-----";
        std::fs::write(file.path(), format!("\u{feff}KEY=\"{key}\" # note\nOTHER=1\n")).expect("written");
        let all = chosen(&pairs(&["OTHER=a=b"]), Some(file.path())).expect("read");
        let expected = [("KEY", key), ("OTHER", "a=b")].map(|(n, v)| (n.to_owned(), v.to_owned()));
        assert_eq!(all, Chosen { secrets: expected.into(), remarks: Vec::new() });
    }

    // rows: CLI-SECRETS
    #[test]
    fn secrets_a_platform_name_is_skipped_with_a_word() {
        let all = chosen(&pairs(&["SUPABASE_URL=s3cret", "MINE=1"]), None).expect("read");
        assert_eq!(all.secrets.keys().collect::<Vec<_>>(), ["MINE"]);
        assert_eq!(all.remarks, ["Env name cannot start with SUPABASE_, skipping: SUPABASE_URL"]);
    }

    // rows: CLI-SECRETS
    #[test]
    fn secrets_no_message_about_a_secret_holds_its_value() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        for text in ["A=\"s3cret", "s3cret", "A=\"x\" s3cret", "A=1\ns3cret/=="] {
            std::fs::write(file.path(), text).expect("written");
            let error = format!("{:#}", chosen(&[], Some(file.path())).expect_err("a mistake"));
            assert!(error.contains("line ") && !error.contains("s3cret"), "{error}");
        }
        for pair in ["s3cret", "s3cret/==", "=s3cret"] {
            let error = format!("{:#}", chosen(&pairs(&["A=1", pair]), None).expect_err("a mistake"));
            assert_eq!(error, "Invalid secret pair: argument 2. Must be NAME=VALUE.");
        }
    }
}
