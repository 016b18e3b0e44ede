//! SQL files of the checkout, as the binary embeds them.

use std::{
    io,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use banyan_db::{Login, Migration};

/// The root of the checkout.
#[must_use]
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Folder of the product's migrations.
#[must_use]
pub fn product_migrations() -> PathBuf {
    root().join("migrations")
}

/// The migrations of one service.
#[derive(Debug)]
pub struct Service {
    /// The crate's name.
    pub name: String,
    /// The login that owns what they make.
    pub owner: Login,
    /// From `crates/<name>/migrations`, by version.
    pub migrations: Vec<Migration>,
}

/// Services in the order in which the server applies their migrations; one that stands here need not exist yet.
const ORDER: [&str; 5] = ["mail", "auth", "storage", "realtime", "edge"];

/// Migrations of every crate that has a folder `migrations`.
///
/// # Errors
/// When a file cannot be read or its name is not `<version>_<name>.sql`.
pub fn services() -> anyhow::Result<Vec<Service>> {
    let mut found = Vec::new();
    // Beside the crates there is their README.
    for crate_folder in entries(&root().join("crates"))?.into_iter().filter(|path| path.is_dir()) {
        let name = crate_folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let migrations = entries(&crate_folder.join("migrations"))?
            .iter()
            .map(|path| read(path))
            .collect::<anyhow::Result<Vec<_>>>()?;
        if !migrations.is_empty() {
            found.push(Service { owner: owner(&name), name, migrations });
        }
    }
    found.sort_by_key(|service| ORDER.iter().position(|name| *name == service.name).unwrap_or(ORDER.len()));
    Ok(found)
}

fn owner(service: &str) -> Login {
    match service {
        "auth" => Login::AuthAdmin,
        "storage" => Login::StorageAdmin,
        "realtime" => Login::RealtimeAdmin,
        _ => Login::Admin,
    }
}

/// The texts live as long as the process, like those that a binary embeds.
fn read(path: &Path) -> anyhow::Result<Migration> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let (version, name) = stem
        .split_once('_')
        .and_then(|(version, name)| Some((version.parse().ok()?, name.to_owned())))
        .with_context(|| format!("{} is not named <version>_<name>.sql", path.display()))?;
    let sql = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    Ok(Migration { version, name: name.leak(), sql: sql.leak() })
}

/// What a folder holds, by name; nothing when there is no such folder.
pub(crate) fn entries(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut paths = match std::fs::read_dir(folder) {
        Ok(entries) => {
            entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()?
        }
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Vec::new()
        }
        Err(error) => return Err(error).with_context(|| folder.display().to_string()),
    };
    paths.sort_unstable();
    Ok(paths)
}
