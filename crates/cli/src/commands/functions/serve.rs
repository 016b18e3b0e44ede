//! `banyan functions serve`: builds again whenever a source changes. The running stack watches the components and takes
//! each success over; after a failure the last good ones go on (functions.md G05).

use std::{path::PathBuf, time::Duration};

use anyhow::Context;
use banyan_config::Config;
use notify::{RecursiveMode, Watcher};
use tokio::{sync::mpsc, time::timeout};

use super::{
    build,
    crates::{self, Source},
};
use crate::{arguments::Global, instance, output, project};

/// Changes that come closer together are one.
const QUIET: Duration = Duration::from_millis(500);

pub(super) async fn run(global: &Global) -> anyhow::Result<()> {
    let config = project::load(global)?;
    let record = instance::require(&config.paths.state)?;
    let functions = crates::list(&config)?;
    let (changed, mut changes) = mpsc::channel(1);
    let _watcher = watch(&config, changed)?;
    rebuild(&config);
    for function in functions.iter().filter(|function| matches!(function.source, Source::Crate(_))) {
        output::line(format_args!(" - {}/functions/v1/{}", record.api_url, function.slug));
    }
    output::note("Watching for changes. Ctrl-C ends this; the stack goes on.");
    loop {
        tokio::select! {
            result = tokio::signal::ctrl_c() => return result.context("cannot wait for Ctrl-C"),
            change = changes.recv() => change.context("the watch on the functions ended")?,
        }
        while let Ok(Some(())) = timeout(QUIET, changes.recv()).await {}
        output::note("Building...");
        let config = config.clone();
        tokio::task::spawn_blocking(move || rebuild(&config)).await?;
    }
}

/// Builds what there is now; a failure is told and nothing else.
fn rebuild(config: &Config) {
    let built = crates::list(config).and_then(|functions| build::build(config, &functions));
    match built {
        Ok(()) => output::note("Functions are up to date."),
        Err(error) => output::note(format_args!("{error:#}")),
    }
}

/// Sends for each change of a source; build results and hidden files are none.
fn watch(config: &Config, changed: mpsc::Sender<()>) -> anyhow::Result<impl Watcher> {
    let folder = config.paths.functions();
    let folder: PathBuf =
        folder.canonicalize().with_context(|| format!("there is no folder {}", folder.display()))?;
    let root = folder.clone();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let Ok(event) = event else { return };
        let is_change = event.kind.is_create() || event.kind.is_modify() || event.kind.is_remove();
        if is_change && event.paths.iter().any(|path| is_source(path.strip_prefix(&root).unwrap_or(path))) {
            // One waiting change is enough.
            let _ = changed.try_send(());
        }
    })?;
    watcher.watch(&folder, RecursiveMode::Recursive)?;
    Ok(watcher)
}

fn is_source(path: &std::path::Path) -> bool {
    !path.components().any(|part| {
        let part = part.as_os_str().to_string_lossy();
        part == "target" || part.starts_with('.')
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn build_results_are_no_sources() {
        assert!(is_source(Path::new("hello/src/main.rs")));
        assert!(!is_source(Path::new("hello/target/guest/x.wasm")));
        assert!(!is_source(Path::new(".git/index")));
    }
}
