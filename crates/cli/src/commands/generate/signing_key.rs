//! `banyan gen signing-key`: a private key to sign tokens with (CONTRACT.md CLI-SIGNING-KEY,
//! auth/CONTRACT.md J2).

use std::{io::Write, os::unix::fs::OpenOptionsExt, path::Path};

use anyhow::Context;
use banyan_identity::{NewKey, OsRng};
use secrecy::ExposeSecret;
use serde_json::{Value, json};

use crate::{
    arguments::{Global, SigningAlgorithm},
    output, project,
};

/// Prints the key, or writes it into the file of `auth.signing_keys_path` when there is one: alone,
/// or behind the keys that are there, so that it is published before it signs.
pub(crate) fn run(global: &Global, algorithm: SigningAlgorithm, append: bool) -> anyhow::Result<()> {
    let kind = match algorithm {
        SigningAlgorithm::Es256 => NewKey::Es256,
        SigningAlgorithm::Rs256 => NewKey::Rs256,
    };
    let make = || kind.make(uuid::Uuid::new_v4(), &mut OsRng);
    // The file may not exist yet: it is what this command makes.
    let Some(file) = project::signing_keys_file(global)? else {
        anyhow::ensure!(!append, "there is no file to put a key into yet: {NAME_A_FILE}");
        output::line(make()?);
        output::note(format_args!("To have it used, {NAME_A_FILE}"));
        return Ok(());
    };
    let mut keys = if append { existing(&file)? } else { Vec::new() };
    if !append && file.exists() && !global.yes {
        anyhow::bail!("{} exists: --append keeps its keys, --yes overwrites them", file.display());
    }
    keys.push(make()?);
    write(&file, &keys)?;
    let keys = if keys.len() == 1 { "one key".to_owned() } else { format!("{} keys", keys.len()) };
    output::note(format_args!("{} now holds {keys}. Keep it out of version control.", file.display()));
    Ok(())
}

/// The step before a project can have keys of its own.
const NAME_A_FILE: &str = "set signing_keys_path = \"./signing_keys.json\" below [auth] in supabase/config.toml, and run \
    `banyan gen signing-key --append`, which writes a key there; a stack that runs already takes the setting over when it is \
    started again";

fn existing(file: &Path) -> anyhow::Result<Vec<Value>> {
    if !file.exists() {
        return Ok(Vec::new());
    }
    let keys = banyan_config::read_signing_keys(file)?;
    keys.iter().map(|key| Ok(serde_json::from_str(key.expose_secret())?)).collect()
}

/// Replaces the file as a whole, readable by its owner only: a running stack must never see half a
/// list.
fn write(file: &Path, keys: &[Value]) -> anyhow::Result<()> {
    let cannot = || format!("cannot write {}", file.display());
    let fresh = file.with_extension("json.new");
    let mut options = std::fs::OpenOptions::new();
    let mut handle =
        options.write(true).create(true).truncate(true).mode(0o600).open(&fresh).with_context(cannot)?;
    let text = serde_json::to_string_pretty(&json!(keys))?;
    handle.write_all(format!("{text}\n").as_bytes()).with_context(cannot)?;
    handle.sync_all().with_context(cannot)?;
    std::fs::rename(&fresh, file).with_context(cannot)
}
