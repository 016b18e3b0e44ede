//! The layers of crates/README.md, held against what the crates really depend on.

use std::{collections::BTreeMap, process::Command};

/// Crate and what of ours it may depend on.
const LAYERS: &[(&str, &[&str])] = &[
    ("config", &[]),
    ("identity", &["config"]),
    ("db", &["identity", "config"]),
    ("mail", &["db", "identity", "config"]),
    ("rest", &["db", "identity", "config"]),
    ("auth", &["mail", "db", "identity", "config"]),
    ("edge", &["identity", "config"]),
    ("local", &["config"]),
    ("server", &["rest", "auth", "edge", "mail", "db", "identity", "config"]),
    ("testkit", &["rest", "auth", "mail", "local", "db", "identity", "config"]),
    ("cli", &["server", "edge", "local", "auth", "rest", "mail", "db", "identity", "config"]),
];

#[test]
fn dependencies_go_down_only() {
    let allowed: BTreeMap<&str, &[&str]> = LAYERS.iter().copied().collect();
    for (package, dependency) in edges() {
        let below = allowed.get(package.as_str()).unwrap_or_else(|| panic!("{package} is in no layer"));
        assert!(below.contains(&dependency.as_str()), "{package} may not depend on {dependency}");
    }
}

#[test]
fn the_readme_names_every_crate() {
    let readme = include_str!("../../README.md");
    for (name, _) in LAYERS {
        assert!(
            readme.contains(&format!("](${name})").replace('$', "")),
            "crates/README.md does not name {name}"
        );
    }
}

/// Edges between crates of ours, development dependencies left out.
fn edges() -> Vec<(String, String)> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo metadata runs");
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let ours = |name: &str| name.strip_prefix("banyan-").map(str::to_owned);
    let is_stack = |package: &serde_json::Value| {
        package["manifest_path"].as_str().is_some_and(|path| path.contains("/crates/"))
    };
    let stack: Vec<String> =
        packages.iter().filter(|p| is_stack(p)).filter_map(|p| ours(p["name"].as_str()?)).collect();
    let mut edges = Vec::new();
    for package in packages.iter().filter(|package| is_stack(package)) {
        let Some(name) = package["name"].as_str().and_then(ours) else { continue };
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let below = dependency["name"].as_str().and_then(ours).filter(|below| stack.contains(below));
            if let (true, Some(below)) = (dependency["kind"].is_null(), below) {
                edges.push((name.clone(), below));
            }
        }
    }
    assert!(!edges.is_empty(), "no crate depends on another: the layers were not read");
    edges
}
