//! The layers of crates/README.md, held against what the crates really depend on; and, a file each,
//! what else is judged of the tree itself.

/// The contract pages: rows, tests and citations.
mod contracts;

/// The order of modules inside of the crates.
mod modules;

/// The width of comments.
mod comments;

/// The table of words.
mod glossary;

/// What a newcomer looked for.
mod newcomer;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Command,
};

/// Crate and what of ours it may depend on.
const LAYERS: &[(&str, &[&str])] = &[
    ("config", &[]),
    ("web", &[]),
    ("identity", &["config"]),
    ("db", &["identity", "config"]),
    ("schemas", &["db"]),
    ("mail", &["db", "identity", "config", "web"]),
    ("rest", &["db", "identity", "config", "web"]),
    ("auth", &["mail", "db", "identity", "config", "web"]),
    ("edge", &["identity", "config", "web"]),
    ("storage", &["db", "identity", "config", "web"]),
    ("realtime", &["db", "identity", "config", "web"]),
    ("local", &["config", "web"]),
    ("server", &["rest", "auth", "edge", "storage", "realtime", "mail", "db", "identity", "config", "web"]),
    ("testkit", &["schemas", "local", "db", "identity", "config", "web"]),
    (
        "cli",
        &[
            "server", "schemas", "edge", "local", "auth", "rest", "storage", "mail", "db", "identity",
            "config", "web",
        ],
    ),
];

/// Folder of `functions/` that several functions stand on, and what others of them it may depend
/// on. `_sdk` goes into every project, so it knows nothing of the product.
const UNDER_FUNCTIONS: &[(&str, &[&str])] = &[
    ("_sdk", &[]),
    ("_shared", &["_sdk"]),
    ("_bank", &["_shared", "_sdk"]),
    ("_samples", &["_shared", "_sdk"]),
];

/// A dependency between two crates of ours, each told by its folder in the repository, such as
/// `crates/edge`.
#[derive(Debug)]
struct Dependency {
    from: String,
    to: String,
    is_for_tests: bool,
}

impl Dependency {
    /// The stack and the functions meet over HTTP alone, also in tests; no function stands on
    /// another. The guests of edge's tests, a workspace of their own that is not seen here, stand
    /// on the SDK, whose door they test.
    fn is_allowed(&self) -> bool {
        let known = |layers: &[(&str, &[&str])], from: &str, to: &str| {
            layers.iter().any(|(name, below)| *name == from && below.contains(&to))
        };
        let parts =
            |folder: &'static str| Some((self.from.strip_prefix(folder)?, self.to.strip_prefix(folder)?));
        match (parts("crates/"), parts("functions/")) {
            (Some((from, to)), _) => self.is_for_tests || known(LAYERS, from, to),
            (_, Some((from, to))) if from.starts_with('_') => known(UNDER_FUNCTIONS, from, to),
            (_, Some((_, to))) => to.starts_with('_'),
            (None, None) => false,
        }
    }
}

#[test]
fn dependencies_go_down_only() {
    let found = dependencies();
    for (from, to) in [("crates/cli", "crates/server"), ("functions/_shared", "functions/_sdk")] {
        assert!(found.iter().any(|it| (&*it.from, &*it.to) == (from, to)), "the layers were not read");
    }
    for dependency in found {
        assert!(dependency.is_allowed(), "{} may not depend on {}", dependency.from, dependency.to);
    }
}

#[test]
fn what_goes_up_or_aside_is_found() {
    let is_allowed = |from: &str, to: &str, is_for_tests| {
        Dependency { from: from.to_owned(), to: to.to_owned(), is_for_tests }.is_allowed()
    };
    for (from, to) in [
        ("crates/edge", "crates/db"),
        ("crates/unheard", "crates/config"),
        ("functions/_sdk", "functions/_shared"),
        ("functions/_sdk", "functions/generate-lesson-plan"),
        ("functions/_shared", "functions/_bank"),
        ("functions/_unheard", "functions/_sdk"),
        ("functions/wallet-sweep", "functions/generate-lesson-plan"),
    ] {
        assert!(!is_allowed(from, to, false), "{from} on {to}");
    }
    for is_for_tests in [false, true] {
        assert!(!is_allowed("crates/edge", "functions/_sdk", is_for_tests));
        assert!(!is_allowed("functions/_sdk", "crates/config", is_for_tests));
    }
    assert!(
        is_allowed("crates/edge", "crates/testkit", true)
            && is_allowed("functions/x", "functions/_bank", false)
    );
}

#[test]
fn every_folder_is_in_a_layer() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = |place: &str| -> Vec<String> {
        let entries = std::fs::read_dir(root.join(place)).expect("a folder");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        let crates = paths.filter(|path| path.join("Cargo.toml").is_file());
        crates.map(|path| path.file_name().expect("a name").to_string_lossy().into_owned()).collect()
    };
    for name in folders("crates") {
        assert!(LAYERS.iter().any(|(known, _)| *known == name), "crates/{name} is in no layer");
    }
    for name in folders("functions").into_iter().filter(|name| name.starts_with('_')) {
        assert!(UNDER_FUNCTIONS.iter().any(|(known, _)| *known == name), "functions/{name} is in no layer");
    }
}

#[test]
fn the_readme_names_every_crate() {
    let readme = include_str!("../../../README.md");
    for (name, _) in LAYERS {
        assert!(
            readme.contains(&format!("](${name})").replace('$', "")),
            "crates/README.md does not name {name}"
        );
    }
}

/// Every dependency between crates of ours.
fn dependencies() -> Vec<Dependency> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo metadata runs");
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON");
    let root = Path::new(metadata["workspace_root"].as_str().expect("a root"));
    let packages = metadata["packages"].as_array().expect("packages");
    let folder = |package: &serde_json::Value| -> Option<String> {
        let below = Path::new(package["manifest_path"].as_str()?).parent()?.strip_prefix(root).ok()?;
        Some(below.to_str()?.to_owned())
    };
    let folders: BTreeMap<&str, String> =
        packages.iter().filter_map(|package| Some((package["name"].as_str()?, folder(package)?))).collect();
    let mut found = Vec::new();
    for package in packages {
        let from = folder(package).expect("below the workspace");
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let Some(to) = dependency["name"].as_str().and_then(|name| folders.get(name)) else { continue };
            let is_for_tests = dependency["kind"] == "dev";
            found.push(Dependency { from: from.clone(), to: to.clone(), is_for_tests });
        }
    }
    found
}

/// The top of the checkout.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the checkout")
}
