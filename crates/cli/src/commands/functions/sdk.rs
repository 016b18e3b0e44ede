//! The crate that functions stand on, which this binary carries: a project needs nothing of ours from anywhere.

use std::path::Path;

use anyhow::Context;

/// Its folder beside the functions; the name is no function's.
const FOLDER: &str = "_sdk";

macro_rules! sources {
    ($($file:literal),* $(,)?) => {
        &[$(($file, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../functions/_sdk/", $file)))),*]
    };
}

const SOURCES: &[(&str, &str)] = sources![
    "README.md",
    "src/auth.rs",
    "src/caller.rs",
    "src/door.rs",
    "src/env.rs",
    "src/error.rs",
    "src/guest.rs",
    "src/lib.rs",
    "src/log.rs",
    "src/mail.rs",
    "src/model/body.rs",
    "src/model/client.rs",
    "src/model/config.rs",
    "src/model/json.rs",
    "src/model/ladder.rs",
    "src/model/mod.rs",
    "src/model/retry.rs",
    "src/model/stream.rs",
    "src/project.rs",
    "src/rest.rs",
    "src/storage.rs",
    "src/transport.rs",
];
/// In the repository it takes its versions from the workspace.
const MANIFEST: &str = include_str!("new_sdk_cargo.toml");

/// Writes it beside the functions, unless it is there: it is the project's own from then on.
pub(super) fn join(functions: &Path) -> anyhow::Result<()> {
    let folder = functions.join(FOLDER);
    if folder.exists() {
        return Ok(());
    }
    for (file, text) in [("Cargo.toml", MANIFEST)].iter().chain(SOURCES) {
        let path = folder.join(file);
        let parent = path.parent().expect("a file has a folder");
        std::fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, path::PathBuf};

    use super::*;

    fn own() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../functions/_sdk")
    }

    fn files(folder: &Path) -> BTreeSet<PathBuf> {
        let entries =
            std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
        entries.flat_map(|path| if path.is_dir() { files(&path) } else { BTreeSet::from([path]) }).collect()
    }

    #[test]
    fn all_of_it_is_written_once() {
        let folder = tempfile::tempdir().expect("a folder");
        join(folder.path()).expect("written");
        let names = |root: PathBuf| -> BTreeSet<PathBuf> {
            let all = files(&root);
            all.into_iter().map(|path| path.strip_prefix(&root).expect("below").to_owned()).collect()
        };
        let written = folder.path().join(FOLDER);
        assert_eq!(names(written.clone()), names(own()));
        std::fs::write(written.join("src/lib.rs"), "mine").expect("written");
        join(folder.path()).expect("left alone");
        assert_eq!(std::fs::read_to_string(written.join("src/lib.rs")).expect("read"), "mine");
    }

    #[test]
    fn its_manifest_names_the_dependencies_of_ours() {
        let ours = std::fs::read_to_string(own().join("Cargo.toml")).expect("read");
        let names = |text: &str| -> Vec<String> {
            let table: toml::Table = text.parse().expect("TOML");
            let guest = &table["target"]["cfg(target_arch = \"wasm32\")"]["dependencies"];
            let all = [&table["dependencies"], guest, &table["dev-dependencies"]];
            all.into_iter().flat_map(|part| part.as_table().expect("a table").keys().cloned()).collect()
        };
        assert_eq!(names(MANIFEST), names(&ours));
    }
}
