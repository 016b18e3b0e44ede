//! What these tests take from npm: see `npm/package.json`.

use std::path::{Path, PathBuf};

pub(crate) const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/functions/npm");

/// A file of an installed package, under the first of these paths that is there.
pub(crate) fn file(paths: &[&str]) -> PathBuf {
    let packages = Path::new(FOLDER).join("node_modules");
    paths
        .iter()
        .map(|path| packages.join(path))
        .find(|path| path.is_file())
        .expect("npm packages are missing: run scripts/lib/npm-install.sh crates/cli/tests/functions/npm")
}
