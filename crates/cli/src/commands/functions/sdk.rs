//! The crate that functions stand on, which this binary carries: a project needs nothing of ours
//! from anywhere.

use std::path::Path;

use super::atomic_folder::write_whole;
use crate::output;

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
    "src/handler.rs",
    "src/env.rs",
    "src/error.rs",
    "src/guest/answer.rs",
    "src/guest/call.rs",
    "src/guest/host.rs",
    "src/guest/mod.rs",
    "src/lib.rs",
    "src/log.rs",
    "src/mail.rs",
    "src/model/body.rs",
    "src/model/client.rs",
    "src/model/config.rs",
    "src/model/json.rs",
    "src/model/dialect.rs",
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
/// The lint settings of the written crate. The workspace of the repository has more.
const CLIPPY: &str = include_str!("new_sdk_clippy.toml");

/// Writes it beside the functions, unless it is there: it is the project's own from then on. What
/// is written for a new function stands on this one, so where there is another one, that is said.
pub(super) fn join(functions: &Path) -> anyhow::Result<()> {
    let folder = functions.join(FOLDER);
    if !folder.exists() {
        let all =
            [("Cargo.toml", MANIFEST), ("clippy.toml", CLIPPY)].into_iter().chain(SOURCES.iter().copied());
        let all: Vec<(&str, String)> = all.map(|(file, text)| (file, text.to_owned())).collect();
        return write_whole(&folder, &all);
    }
    if !is_this_one(&folder) {
        output::note(format_args!(
            "{FOLDER} of this project is not the one of this version; what a new function needs may be missing there. Without the folder it is written anew."
        ));
    }
    Ok(())
}

fn is_this_one(folder: &Path) -> bool {
    SOURCES.iter().all(|(file, text)| std::fs::read_to_string(folder.join(file)).is_ok_and(|it| it == *text))
}

#[cfg(test)]
mod tests {
    use std::{
        collections::{BTreeMap, BTreeSet},
        path::PathBuf,
    };

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
        let mut wanted = names(own());
        wanted.insert("clippy.toml".into());
        assert_eq!(names(written.clone()), wanted);
        assert!(is_this_one(&written));
        std::fs::write(written.join("src/lib.rs"), "mine").expect("written");
        assert!(!is_this_one(&written));
        join(folder.path()).expect("left alone");
        assert_eq!(std::fs::read_to_string(written.join("src/lib.rs")).expect("read"), "mine");
    }

    #[test]
    fn every_lint_that_it_expects_is_there_in_a_project_too() {
        let expected = SOURCES.iter().map(|(_, text)| text.matches("#[expect(").count()).sum::<usize>();
        let env = SOURCES.iter().find(|(file, _)| *file == "src/env.rs").expect("a source").1;
        assert!(
            expected == 1
                && env.contains("#[expect(clippy::disallowed_methods")
                && env.contains("std::env::vars()")
        );
        let clippy: toml::Table = CLIPPY.parse().expect("TOML");
        assert_eq!(clippy["disallowed-methods"][0]["path"].as_str(), Some("std::env::vars"));
    }

    /// Name, version and default features of a dependency, and its features.
    type Needed = (String, (String, bool, BTreeSet<String>));

    fn needed((name, value): (&String, &toml::Value)) -> Needed {
        let field = |name: &str| value.as_table().and_then(|table| table.get(name));
        let version = value.as_str().or_else(|| field("version")?.as_str()).unwrap_or_default();
        let features = field("features").and_then(toml::Value::as_array).into_iter().flatten();
        let features = features.map(|feature| feature.as_str().expect("a text").to_owned()).collect();
        let has_defaults = field("default-features").and_then(toml::Value::as_bool).unwrap_or(true);
        (name.clone(), (version.to_owned(), has_defaults, features))
    }

    fn parts(manifest: &toml::Table) -> [&toml::Table; 3] {
        let guest = &manifest["target"]["cfg(target_arch = \"wasm32\")"]["dependencies"];
        let all = [&manifest["dependencies"], guest, &manifest["dev-dependencies"]];
        all.map(|part| part.as_table().expect("a table"))
    }

    #[test]
    fn its_manifest_names_our_dependencies_with_versions_and_features() {
        let read = |path: PathBuf| -> toml::Table {
            std::fs::read_to_string(path).expect("read").parse().expect("TOML")
        };
        let (ours, written): (toml::Table, toml::Table) =
            (read(own().join("Cargo.toml")), MANIFEST.parse().expect("TOML"));
        let workspace = &read(own().join("../../Cargo.toml"))["workspace"];
        let workspace_needs: BTreeMap<_, _> =
            workspace["dependencies"].as_table().expect("a table").iter().map(needed).collect();
        for (ours, written) in parts(&ours).into_iter().zip(parts(&written)) {
            assert_eq!(written.keys().collect::<Vec<_>>(), ours.keys().collect::<Vec<_>>());
            for (name, mut needed) in written.iter().map(needed) {
                match name.as_str() {
                    // Dependencies of the other crates in the workspace.
                    "serde_json" => drop(needed.2.insert("raw_value".to_owned())),
                    "tokio" => needed.2.clone_from(&workspace_needs["tokio"].2),
                    _ => {}
                }
                assert_eq!(needed, workspace_needs[&name], "{name}");
            }
        }
        let package = |key: &str| (&written["package"][key], &workspace["package"][key]);
        for key in ["edition", "rust-version", "license"] {
            assert_eq!(package(key).0, package(key).1, "{key}");
        }
    }
}
