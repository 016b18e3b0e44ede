//! Components that change while the stack runs (functions.md G05).

use std::{collections::BTreeMap, fs, os::unix::fs::MetadataExt, path::PathBuf, time::Duration};

use notify::{EventKind, RecursiveMode, Watcher, event::AccessKind};
use tokio::{sync::mpsc, time::sleep};
use tokio_util::sync::CancellationToken;

use crate::{StartError, State};

/// Time between two looks for a folder that is not there.
const ABSENT: Duration = Duration::from_secs(2);
/// How long the watcher waits for more changes.
const DEBOUNCE: Duration = Duration::from_millis(100);

impl State {
    /// Reloads components as their files change, until `shutdown`. A running version serves until the new one is
    /// ready.
    ///
    /// A folder that cannot be watched is told of, and looked at with the next change of another.
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
        let mut configured = self.registry().changes();
        let mut watched = BTreeMap::new();
        loop {
            let lacks = self.watch_folders(&mut watcher, &mut watched);
            // What changed before the watcher stood.
            self.look().await;
            tokio::select! {
                () = shutdown.cancelled() => return Ok(()),
                Some(()) = changes.recv() => sleep(DEBOUNCE).await,
                Ok(()) = configured.changed() => {}
                // Nothing tells that a folder has come back.
                () = sleep(ABSENT), if lacks => {}
                else => return Ok(()),
            }
        }
    }

    /// Watches the folders that are not watched yet: another configuration may name components elsewhere, and a folder that
    /// was removed and made again, as builds do, is another one. Tells whether one is not there.
    fn watch_folders(
        &self,
        watcher: &mut notify::RecommendedWatcher,
        watched: &mut BTreeMap<PathBuf, u64>,
    ) -> bool {
        let mut lacks = false;
        for folder in self.registry().folders() {
            let Some(found) = fs::metadata(&folder).ok().filter(fs::Metadata::is_dir) else {
                watched.remove(&folder);
                lacks = true;
                continue;
            };
            if watched.insert(folder.clone(), found.ino()) == Some(found.ino()) {
                continue;
            }
            // One of this name that is gone may still be known to the watcher.
            let _ = watcher.unwatch(&folder);
            if let Err(error) = watcher.watch(&folder, RecursiveMode::NonRecursive) {
                tracing::error!(folder = %folder.display(), error = %error, "components are not reloaded when they change");
            }
        }
        lacks
    }
}

fn is_change(kind: &EventKind) -> bool {
    match kind {
        EventKind::Access(AccessKind::Close(notify::event::AccessMode::Write)) => true,
        EventKind::Access(_) => false,
        _ => true,
    }
}
