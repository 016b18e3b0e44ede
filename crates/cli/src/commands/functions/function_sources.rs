//! The functions there are, and the crates they are made of.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, bail};
use banyan_config::Config;
use serde::Deserialize;

/// The message on a machine without a toolchain. Components that were built elsewhere are still
/// served (edge/CONTRACT.md G12).
pub(super) const NO_CARGO: &str = "cannot run cargo, which builds functions and is installed by \
     `curl https://sh.rustup.rs -sSf | sh -s -- -y --target wasm32-wasip2`";

/// The message for a function in TypeScript (edge/CONTRACT.md G13).
pub(super) fn for_deno(folder: &Path, slug: &str) -> String {
    format!(
        "{} is for Deno, and this server runs WebAssembly components. `banyan functions new` writes one in Rust.{}",
        folder.display(),
        finished(folder, slug)
    )
}

/// The hint for a finished component in a function's folder; empty if there is none.
pub(super) fn finished(folder: &Path, slug: &str) -> String {
    let names = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let mut names = names.filter_map(|name| name.into_string().ok()).filter(|name| name.ends_with(".wasm"));
    names.next().map_or_else(String::new, |name| {
        format!(
            " In its folder lies {name}: [functions.{slug}] component = \"functions/{slug}/{name}\" in banyan.toml makes a function of it."
        )
    })
}

/// The finished component that the configuration names for a function.
pub(super) fn prebuilt<'a>(config: &'a Config, slug: &str) -> Option<&'a Path> {
    config.functions.get(slug)?.component.as_deref().filter(|component| component.is_file())
}

/// A folder of `supabase/functions`, or a crate elsewhere that banyan.toml names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Source {
    /// A Rust crate.
    Crate(PathBuf),
    /// Only TypeScript, which this server does not run (edge/CONTRACT.md G13).
    TypeScript(PathBuf),
}

/// A function by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Function {
    pub(super) slug: String,
    pub(super) source: Source,
}

/// Every function of the project, by name. Folders that start with `_` or have no valid name are
/// none.
pub(super) fn list(config: &Config) -> anyhow::Result<Vec<Function>> {
    let folder = config.paths.functions();
    let mut functions: Vec<Function> = Vec::new();
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries.collect::<Result<Vec<_>, _>>()?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", folder.display())),
    };
    for entry in entries {
        let slug = entry.file_name().to_string_lossy().into_owned();
        let Some(source) = source(&entry.path()).filter(|_| banyan_edge::is_function_name(&slug)) else {
            continue;
        };
        // The source of its component.
        if matches!(source, Source::TypeScript(_)) && prebuilt(config, &slug).is_some() {
            continue;
        }
        functions.push(Function { slug, source });
    }
    for (slug, settings) in &config.functions {
        let elsewhere = settings.component.as_deref().and_then(source);
        if let Some(source) = elsewhere {
            functions.retain(|function| function.slug != *slug);
            functions.push(Function { slug: slug.clone(), source });
        }
    }
    functions.sort_by(|one, other| one.slug.cmp(&other.slug));
    Ok(functions)
}

fn source(folder: &Path) -> Option<Source> {
    if folder.join("Cargo.toml").is_file() {
        Some(Source::Crate(folder.to_owned()))
    } else if folder.join("index.ts").is_file() || folder.join("index.js").is_file() {
        Some(Source::TypeScript(folder.to_owned()))
    } else {
        None
    }
}

/// The output of `cargo metadata` for a workspace.
#[derive(Debug, Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    target_directory: PathBuf,
    workspace_root: PathBuf,
}

#[derive(Debug, Deserialize)]
struct Package {
    name: String,
    manifest_path: PathBuf,
    targets: Vec<Target>,
}

#[derive(Debug, Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

/// The build target of one function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unit {
    pub(super) slug: String,
    /// Name of its package.
    pub(super) package: String,
    /// The path where cargo writes its component.
    pub(super) built: PathBuf,
}

/// Functions that one cargo run builds.
#[derive(Debug)]
pub(super) struct Workspace {
    pub(super) root: PathBuf,
    pub(super) units: Vec<Unit>,
}

/// Asks cargo where the crates belong. Functions of one workspace are built together.
pub(super) fn workspaces(functions: &[(String, PathBuf)]) -> anyhow::Result<Vec<Workspace>> {
    let mut found: Vec<(Metadata, Vec<Unit>)> = Vec::new();
    for (slug, folder) in functions {
        let manifest = folder.join("Cargo.toml").canonicalize()?;
        let place = match found.iter().position(|(metadata, _)| package(metadata, &manifest).is_some()) {
            Some(place) => place,
            None => {
                found.push((metadata(&manifest)?, Vec::new()));
                found.len() - 1
            }
        };
        let (metadata, units) = &mut found[place];
        units.push(unit(slug, metadata, &manifest)?);
    }
    Ok(found
        .into_iter()
        .map(|(metadata, units)| Workspace { root: metadata.workspace_root, units })
        .collect())
}

fn metadata(manifest: &Path) -> anyhow::Result<Metadata> {
    let output = Command::new("cargo")
        .args(["metadata", "--no-deps", "--format-version", "1", "--manifest-path"])
        .arg(manifest)
        .stderr(Stdio::inherit())
        .output()
        .context(NO_CARGO)?;
    if !output.status.success() {
        bail!("cargo cannot read {} or the workspace that it is in", manifest.display());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn package<'a>(metadata: &'a Metadata, manifest: &Path) -> Option<&'a Package> {
    metadata.packages.iter().find(|package| package.manifest_path == manifest)
}

/// The package's binary, or its library when that is a `cdylib`.
fn unit(slug: &str, metadata: &Metadata, manifest: &Path) -> anyhow::Result<Unit> {
    let package =
        package(metadata, manifest).with_context(|| format!("{} is in no workspace", manifest.display()))?;
    let of_kind = |kind: &str| package.targets.iter().find(|target| target.kind.iter().any(|k| k == kind));
    let file = match (of_kind("bin"), of_kind("cdylib")) {
        (Some(binary), _) => format!("{}.wasm", binary.name),
        (None, Some(library)) => format!("{}.wasm", library.name.replace('-', "_")),
        (None, None) => bail!("{slug}: the crate has neither a src/main.rs nor a cdylib"),
    };
    let built = metadata.target_directory.join("wasm32-wasip2/guest").join(file);
    Ok(Unit { slug: slug.to_owned(), package: package.name.clone(), built })
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: edge/G13
    #[test]
    fn crates_typescript_and_helpers_are_told_apart() {
        let folder = tempfile::tempdir().expect("a folder");
        let functions = folder.path().join("supabase/functions");
        for file in [
            "hello/Cargo.toml",
            "old/index.ts",
            "_shared/Cargo.toml",
            "1st/Cargo.toml",
            "empty/notes.md",
            "js/index.js",
            "js/js.wasm",
        ] {
            let path = functions.join(file);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            std::fs::write(path, "").expect("written");
        }
        std::fs::write(folder.path().join("supabase/config.toml"), "").expect("written");
        let named = "[functions.js]\ncomponent = \"functions/js/js.wasm\"\n";
        std::fs::write(folder.path().join("supabase/banyan.toml"), named).expect("written");
        let config = banyan_config::load(folder.path(), banyan_config::Environment::default(), 0)
            .expect("read")
            .config;
        let found = list(&config).expect("listed");
        let functions = config.paths.functions();
        assert_eq!(
            found,
            [
                Function { slug: "hello".to_owned(), source: Source::Crate(functions.join("hello")) },
                Function { slug: "old".to_owned(), source: Source::TypeScript(functions.join("old")) },
            ]
        );
    }
}
