//! `banyan functions build`: builds the functions to components and puts them where the stack looks
//! (edge/CONTRACT.md G05).

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, bail};
use banyan_config::Config;
use banyan_edge::NotServable;

use super::{
    function_sources::{self, Function, Source, Workspace},
    workspace,
};
use crate::{arguments::Global, output, project};

pub(super) fn run(global: &Global, slugs: &[String]) -> anyhow::Result<()> {
    let config = project::load(global)?;
    for slug in slugs {
        if let Some(component) = function_sources::prebuilt(&config, slug) {
            bail!("{slug} needs no build: banyan.toml names its component, {}", component.display());
        }
    }
    let functions = choose(&config.paths.functions(), function_sources::list(&config)?, slugs)?;
    if functions.is_empty() {
        output::note(format_args!(
            "There is no function in {}; `banyan functions new NAME` writes one.",
            config.paths.functions().display()
        ));
        return Ok(());
    }
    workspace::take_out_gone(&config.paths.functions())?;
    build(&config, &functions)
}

/// The functions of these names in this folder, or all. One that was asked for by its name and
/// cannot be built is an error: left out in silence, it would pass for deployed.
pub(super) fn choose(folder: &Path, all: Vec<Function>, slugs: &[String]) -> anyhow::Result<Vec<Function>> {
    for slug in slugs {
        match all.iter().find(|function| function.slug == *slug).map(|function| &function.source) {
            None => {
                let finished = function_sources::finished(&folder.join(slug), slug);
                bail!("Function not found: {slug}.{finished}{}", those_there(&all))
            }
            Some(Source::TypeScript(path)) => {
                bail!("{slug} cannot be built: {}", function_sources::for_deno(path, slug))
            }
            Some(Source::Crate(_)) => {}
        }
    }
    Ok(all.into_iter().filter(|function| slugs.is_empty() || slugs.contains(&function.slug)).collect())
}

/// The names that could have been meant.
fn those_there(all: &[Function]) -> String {
    let names: Vec<&str> = all.iter().map(|function| function.slug.as_str()).collect();
    if names.is_empty() { String::new() } else { format!(" There are: {}.", names.join(", ")) }
}

/// Part of the import that is most often missing.
const SOCKETS: &str = ". `std::net`, or a crate that uses it, asks for sockets; calls of a function go by HTTP, see _sdk/README.md";

/// A component ready to be served.
#[derive(Debug)]
pub(super) struct Component {
    pub(super) slug: String,
    pub(super) path: PathBuf,
}

/// Builds the functions that are crates, and installs the changed ones. Each component is replaced
/// in one step. If cargo fails, all components stay as they are. A component that the stack would
/// not serve does not keep the others from being installed.
pub(super) fn build(config: &Config, functions: &[Function]) -> anyhow::Result<()> {
    let folder = config.paths.components();
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let built = compile_all(functions)?;
    let refused = not_servable(&built)?;
    for Component { slug, path } in built.into_iter().filter(|built| !refused.contains_key(&built.slug)) {
        let place = folder.join(format!("{slug}.wasm"));
        if install(&path, &place)? {
            // In the stack's own folder: with another BANYAN_HOME the stack looks elsewhere.
            output::note(format_args!("Built function {slug}: {}", place.display()));
        }
    }
    refuse(&refused)
}

/// Returns the components that the stack would not serve, each with the reason.
fn not_servable(built: &[Component]) -> anyhow::Result<BTreeMap<String, NotServable>> {
    let mut refused = BTreeMap::new();
    for Component { slug, path } in built {
        if let Err(reason) = banyan_edge::check(&read_built(path)?) {
            refused.insert(slug.clone(), reason);
        }
    }
    Ok(refused)
}

/// Ends with what the stack would not serve: it would say so to nobody but callers and the log.
fn refuse(refused: &BTreeMap<String, NotServable>) -> anyhow::Result<()> {
    let line = |(slug, reason): (&String, &NotServable)| {
        let reason = reason.to_string();
        let why = if reason.contains("`wasi:sockets/") { SOCKETS } else { "" };
        format!("{slug} cannot be served: {reason}{why}")
    };
    let lines: Vec<_> = refused.iter().map(line).collect();
    anyhow::ensure!(lines.is_empty(), "{}", lines.join("\n"));
    Ok(())
}

fn read_built(path: &Path) -> anyhow::Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cargo left no {}", path.display()))
}

/// Builds what are crates for somewhere else than here: all of it can be served there, or nothing
/// is built.
pub(super) fn servable(functions: &[Function]) -> anyhow::Result<Vec<Component>> {
    let built = compile_all(functions)?;
    refuse(&not_servable(&built)?)?;
    Ok(built)
}

/// Builds what are crates, and says of the others why they are left out (edge/CONTRACT.md G13).
fn compile_all(functions: &[Function]) -> anyhow::Result<Vec<Component>> {
    let mut sources = Vec::new();
    for function in functions {
        match &function.source {
            Source::Crate(path) => sources.push((function.slug.clone(), path.clone())),
            Source::TypeScript(path) => output::note(format_args!(
                "Skipping {}: {}",
                function.slug,
                function_sources::for_deno(path, &function.slug)
            )),
        }
    }
    let mut components = Vec::new();
    for workspace in function_sources::workspaces(&sources)? {
        compile(&workspace)?;
        let built = workspace.units.into_iter();
        components.extend(built.map(|unit| Component { slug: unit.slug, path: unit.built }));
    }
    Ok(components)
}

fn compile(workspace: &Workspace) -> anyhow::Result<()> {
    let mut cargo = Command::new("cargo");
    cargo
        .args(["build", "--quiet", "--target", "wasm32-wasip2", "--profile", "guest"])
        // A workspace without such a profile gets one. In a workspace that has it, its own settings
        // stay.
        .args(["--config", "profile.guest.inherits=\"release\""])
        .args(small_stack(&workspace.root))
        .current_dir(&workspace.root)
        .stdin(Stdio::null());
    for unit in &workspace.units {
        cargo.args(["--package", &unit.package]);
    }
    let slugs: Vec<&str> = workspace.units.iter().map(|unit| unit.slug.as_str()).collect();
    // cargo is quiet, and the first build takes a minute.
    output::note(format_args!("Building {}...", slugs.join(", ")));
    let status = cargo.status().context(function_sources::NO_CARGO)?;
    if !status.success() {
        bail!("the functions were not built; the running ones stay as they are");
    }
    Ok(())
}

/// Makes the stack of a function 128 KiB instead of Rust's 1 MiB: it lies in memory that is reset
/// for every request. A project that has flags of its own for the target keeps them.
fn small_stack(root: &Path) -> Vec<String> {
    let mut configured = root.ancestors().map(|folder| folder.join(".cargo/config.toml"));
    let has_flags = |path: PathBuf| {
        std::fs::read_to_string(path).is_ok_and(|text| text.contains("[target.wasm32-wasip2]"))
    };
    if configured.any(has_flags) {
        return Vec::new();
    }
    vec![
        "--config".to_owned(),
        "target.wasm32-wasip2.rustflags=[\"-Clink-arg=-zstack-size=131072\"]".to_owned(),
    ]
}

/// Copies a component to its place in one step, unless it is there already. Tells whether it was
/// new.
fn install(built: &Path, place: &Path) -> anyhow::Result<bool> {
    let content = read_built(built)?;
    if std::fs::read(place).is_ok_and(|present| present == content) {
        return Ok(false);
    }
    // The name belongs to this build: another build may run beside it, as in `functions serve`.
    let part: PathBuf = place.with_extension(format!("wasm.{}.part", std::process::id()));
    std::fs::write(&part, content).with_context(|| format!("cannot write {}", part.display()))?;
    std::fs::rename(&part, place).with_context(|| format!("cannot write {}", place.display()))?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unchanged_component_is_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let (built, place) = (folder.path().join("a.wasm"), folder.path().join("b.wasm"));
        std::fs::write(&built, "1").expect("written");
        assert!(install(&built, &place).expect("installed"));
        assert!(!install(&built, &place).expect("installed"));
        std::fs::write(&built, "2").expect("written");
        assert!(install(&built, &place).expect("installed"));
        assert_eq!(std::fs::read(&place).expect("read"), b"2");
        assert!(install(&folder.path().join("none.wasm"), &place).is_err());
    }

    // rows: edge/G02
    #[test]
    fn a_stack_is_small_unless_the_project_has_flags_of_its_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("supabase/functions");
        assert!(small_stack(&root).concat().contains("stack-size=131072"));
        std::fs::create_dir_all(folder.path().join(".cargo")).expect("made");
        let own = "[target.wasm32-wasip2]\nrustflags = []\n";
        std::fs::write(folder.path().join(".cargo/config.toml"), own).expect("written");
        assert!(small_stack(&root).is_empty());
    }

    #[test]
    fn an_unknown_function_is_named() {
        let known = Function { slug: "a".to_owned(), source: Source::TypeScript(PathBuf::new()) };
        let nowhere = Path::new("/nonexistent");
        let refused = choose(nowhere, vec![known.clone()], &["b".to_owned()]).expect_err("refused");
        assert_eq!(refused.to_string(), "Function not found: b. There are: a.");
        assert_eq!(choose(nowhere, vec![known.clone()], &[]).expect("all"), [known]);
    }

    // rows: edge/G13
    #[test]
    fn what_was_asked_for_by_its_name_and_cannot_be_built_is_an_error() {
        let typescript = Function { slug: "ts".to_owned(), source: Source::TypeScript("ts".into()) };
        let refused = choose(Path::new("/nonexistent"), vec![typescript], &["ts".to_owned()]);
        let said = refused.expect_err("refused").to_string();
        assert!(said.starts_with("ts cannot be built: ts is for Deno"), "{said}");
    }

    #[test]
    fn the_setting_that_makes_a_function_of_a_finished_component_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("js")).expect("made");
        std::fs::write(folder.path().join("js/x.wasm"), "").expect("written");
        let said = choose(folder.path(), Vec::new(), &["js".to_owned()]).expect_err("refused").to_string();
        assert!(said.contains("[functions.js] component = \"functions/js/x.wasm\" in banyan.toml"), "{said}");
    }
}
