//! Components that change while the stack runs (CONTRACT.md G05).

use std::{collections::BTreeSet, path::PathBuf, time::Duration};

use notify::{EventKind, RecursiveMode, Watcher, event::AccessKind};
use tokio::{sync::mpsc, time::sleep};
use tokio_util::sync::CancellationToken;

use crate::{StartError, State};

/// Time between two looks for a folder that is not there.
const RETRY_INTERVAL: Duration = Duration::from_secs(2);
/// How long the watcher waits for more changes.
const DEBOUNCE: Duration = Duration::from_millis(100);

impl State {
    /// Reloads components as their files change, until `shutdown`. A running version serves until the new one is
    /// ready.
    ///
    /// A folder that cannot be watched is told of once, and looked at and tried again every two seconds.
    ///
    /// # Errors
    /// [`StartError::Watch`] when nothing can be watched on this machine.
    pub async fn watch(&self, shutdown: CancellationToken) -> Result<(), StartError> {
        let (changed, mut changes) = mpsc::channel(1);
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            if event.is_ok_and(|event| is_change(&event.kind)) {
                // A full channel says the same already.
                let _ = changed.try_send(());
            }
        })
        .map_err(StartError::Watch)?;
        let mut configured = self.registry().settings.subscribe();
        let mut unwatched = BTreeSet::new();
        loop {
            let is_missing = self.watch_folders(&mut watcher, &mut unwatched);
            // What changed before the watcher stood.
            let is_missing = !self.scan().await || is_missing;
            tokio::select! {
                () = shutdown.cancelled() => return Ok(()),
                Some(()) = changes.recv() => sleep(DEBOUNCE).await,
                Ok(()) = configured.changed() => {}
                // Nothing tells that a folder has come back, or can be watched.
                () = sleep(RETRY_INTERVAL), if is_missing => {}
                else => return Ok(()),
            }
        }
    }

    /// Watches all folders, also those that seem to be watched: one that was removed and made again, as builds do, is another
    /// one, though it may have the number of the one before; for the same one nothing changes. Tells whether one lacks.
    fn watch_folders(
        &self,
        watcher: &mut notify::RecommendedWatcher,
        unwatched: &mut BTreeSet<PathBuf>,
    ) -> bool {
        loop {
            let folders = self.registry().folders();
            let is_missing = watch_all(&folders, watcher, unwatched);
            // One that came before its parent was watched is told of by nothing else.
            if self.registry().folders() == folders {
                return is_missing;
            }
        }
    }
}

/// Watches each of these; tells whether one lacks.
fn watch_all(
    folders: &[PathBuf],
    watcher: &mut notify::RecommendedWatcher,
    unwatched: &mut BTreeSet<PathBuf>,
) -> bool {
    let mut is_missing = false;
    for folder in folders {
        if !folder.is_dir() {
            is_missing = true;
            continue;
        }
        match watcher.watch(folder, RecursiveMode::NonRecursive) {
            Ok(()) => {
                unwatched.remove(folder);
            }
            Err(error) => {
                is_missing = true;
                if unwatched.insert(folder.clone()) {
                    tracing::error!(folder = %folder.display(), error = %error, "components are not reloaded as soon as they change");
                }
            }
        }
    }
    is_missing
}

fn is_change(kind: &EventKind) -> bool {
    match kind {
        EventKind::Access(AccessKind::Close(notify::event::AccessMode::Write)) => true,
        EventKind::Access(_) => false,
        _ => true,
    }
}
