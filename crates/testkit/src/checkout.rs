//! Folders of the checkout.

use std::{
    io,
    path::{Path, PathBuf},
};

use anyhow::Context as _;

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
