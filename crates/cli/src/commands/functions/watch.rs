//! Sources and configuration that change (edge/CONTRACT.md G05).

use std::path::Path;

use anyhow::Context;
use banyan_config::Config;
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc;

/// Folders without sources, and the file that cargo writes itself.
const NO_SOURCES: [&str; 4] = ["target", "node_modules", "vendor", "Cargo.lock"];

/// Sends for each change of a source below the functions' folder.
pub(super) fn sources(config: &Config, changed: mpsc::Sender<()>) -> anyhow::Result<RecommendedWatcher> {
    let folder = config.paths.functions();
    let folder = folder.canonicalize().with_context(|| format!("there is no folder {}", folder.display()))?;
    let root = folder.clone();
    let mut watcher = watcher(changed, move |path| is_source(path.strip_prefix(&root).unwrap_or(path)))?;
    watcher.watch(&folder, RecursiveMode::Recursive)?;
    Ok(watcher)
}

/// Sends for each change of config.toml, banyan.toml and the functions' `.env`.
pub(in crate::commands) fn config(
    config: &Config,
    changed: mpsc::Sender<()>,
) -> anyhow::Result<RecommendedWatcher> {
    let mut watcher = watcher(changed, |path| {
        let name = path.file_name().unwrap_or_default();
        ["config.toml", "banyan.toml", ".env"].iter().any(|known| name == *known)
    })?;
    for folder in [config.paths.supabase(), config.paths.functions()] {
        if folder.is_dir() {
            watcher.watch(&folder, RecursiveMode::NonRecursive)?;
        }
    }
    Ok(watcher)
}

fn watcher(
    changed: mpsc::Sender<()>,
    matters: impl Fn(&Path) -> bool + Send + 'static,
) -> notify::Result<RecommendedWatcher> {
    notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let Ok(event) = event else { return };
        let is_change = event.kind.is_create() || event.kind.is_modify() || event.kind.is_remove();
        if is_change && event.paths.iter().any(|path| matters(path)) {
            // One waiting change is enough.
            let _ = changed.try_send(());
        }
    })
}

/// Build results, hidden files and what editors leave beside a file are no sources; nor is the lock
/// file, which cargo writes in the first build.
fn is_source(path: &Path) -> bool {
    let is_left_over = |name: &str| {
        let end = name.rsplit('.').next().unwrap_or_default();
        name.ends_with('~') || name.ends_with(".tmp") || (end.len() == 3 && end.starts_with("sw"))
    };
    !path.components().any(|part| {
        let part = part.as_os_str().to_string_lossy();
        NO_SOURCES.contains(&part.as_ref()) || part.starts_with('.') || is_left_over(&part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: edge/G05
    #[test]
    fn build_results_and_left_overs_of_editors_are_no_sources() {
        for source in ["hello/src/main.rs", "hello/Cargo.toml", "hello/data/answer.json"] {
            assert!(is_source(Path::new(source)), "{source}");
        }
        for other in [
            "hello/target/guest/x.wasm",
            ".git/index",
            "hello/.idea/x",
            "hello/node_modules/x",
            "hello/src/main.rs~",
            "hello/src/.main.rs.swp",
            "hello/src/main.rs.swx",
            "hello/src/main.tmp",
            "Cargo.lock",
        ] {
            assert!(!is_source(Path::new(other)), "{other}");
        }
    }
}
