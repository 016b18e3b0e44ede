//! Components that change while the stack runs (functions.md G05).

use std::{collections::BTreeSet, path::PathBuf, time::Duration};

use notify::{EventKind, RecursiveMode, Watcher, event::AccessKind};
use tokio::{sync::mpsc, time::sleep};
use tokio_util::sync::CancellationToken;

use crate::{StartError, State};

/// How long the watcher waits for more changes.
const DEBOUNCE: Duration = Duration::from_millis(100);

impl State {
    /// Reloads components as their files change, until `shutdown`. A running version serves until the new one is
    /// ready.
    ///
    /// # Errors
    /// [`StartError::Watch`] when a folder of components cannot be watched.
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
        let mut watched = BTreeSet::new();
        loop {
            self.watch_folders(&mut watcher, &mut watched)?;
            // What changed before the watcher stood.
            self.look().await;
            tokio::select! {
                () = shutdown.cancelled() => return Ok(()),
                Some(()) = changes.recv() => sleep(DEBOUNCE).await,
                Ok(()) = configured.changed() => {}
                else => return Ok(()),
            }
        }
    }

    /// Watches the folders that are not watched yet: another configuration may name components elsewhere.
    fn watch_folders(
        &self,
        watcher: &mut notify::RecommendedWatcher,
        watched: &mut BTreeSet<PathBuf>,
    ) -> Result<(), StartError> {
        let new: Vec<PathBuf> =
            self.registry().folders().into_iter().filter(|folder| !watched.contains(folder)).collect();
        for folder in new.into_iter().filter(|folder| folder.is_dir()) {
            watcher.watch(&folder, RecursiveMode::NonRecursive).map_err(StartError::Watch)?;
            watched.insert(folder);
        }
        Ok(())
    }
}

fn is_change(kind: &EventKind) -> bool {
    match kind {
        EventKind::Access(AccessKind::Close(notify::event::AccessMode::Write)) => true,
        EventKind::Access(_) => false,
        _ => true,
    }
}
