//! Reloads components that change while the stack runs (CONTRACT.md G05).

use std::{collections::BTreeSet, path::PathBuf, time::Duration};

use notify::{EventKind, RecursiveMode, Watcher, event::AccessKind};
use tokio::{sync::mpsc, time::sleep};
use tokio_util::sync::CancellationToken;

use crate::{StartError, State};

/// Time between two tries to watch a folder that is missing.
const RETRY_INTERVAL: Duration = Duration::from_secs(2);
/// How long the watcher waits for more changes.
const DEBOUNCE: Duration = Duration::from_millis(100);

impl State {
    /// Reloads components as their files change, until `shutdown`. A running version serves until
    /// the new one is ready.
    ///
    /// A folder that cannot be watched is logged once. It is scanned, and watching it is tried
    /// again, every two seconds.
    ///
    /// # Errors
    /// [`StartError::Watch`] when nothing can be watched on this machine.
    pub async fn watch(&self, shutdown: CancellationToken) -> Result<(), StartError> {
        let (changed, mut changes) = mpsc::channel(1);
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            if event.is_ok_and(|event| is_change(&event.kind)) {
                // A full channel already holds the same message.
                let _ = changed.try_send(());
            }
        })
        .map_err(StartError::Watch)?;
        let mut configured = self.registry().settings.subscribe();
        let mut unwatched = BTreeSet::new();
        loop {
            let is_missing = self.watch_folders(&mut watcher, &mut unwatched);
            // Finds what changed before the folders were watched.
            let is_missing = !self.scan().await || is_missing;
            tokio::select! {
                () = shutdown.cancelled() => return Ok(()),
                Some(()) = changes.recv() => sleep(DEBOUNCE).await,
                Ok(()) = configured.changed() => {}
                // No event tells that a folder has come back, or that it can be watched.
                () = sleep(RETRY_INTERVAL), if is_missing => {}
                else => return Ok(()),
            }
        }
    }

    /// Watches all folders, also those that are watched already: a build may remove a folder and
    /// make it again, and the new folder may even have the same inode number. Watching the same
    /// folder again changes nothing. Returns whether a folder is missing.
    fn watch_folders(
        &self,
        watcher: &mut notify::RecommendedWatcher,
        unwatched: &mut BTreeSet<PathBuf>,
    ) -> bool {
        loop {
            let folders = self.registry().folders();
            let is_missing = watch_all(&folders, watcher, unwatched);
            // A folder that appeared before its parent was watched causes no event.
            if self.registry().folders() == folders {
                return is_missing;
            }
        }
    }
}

/// Watches each of these folders. Returns whether one is missing.
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
