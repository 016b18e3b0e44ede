//! Components that change while the stack runs (functions.md G05).

use std::time::Duration;

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
    /// [`StartError::Watch`] when the folder of components cannot be watched.
    pub async fn watch(&self, shutdown: CancellationToken) -> Result<(), StartError> {
        let (changed, mut changes) = mpsc::channel(1);
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            if event.is_ok_and(|event| is_change(&event.kind)) {
                // A full channel says the same already.
                let _ = changed.try_send(());
            }
        })
        .map_err(StartError::Watch)?;
        for folder in self.registry().folders().iter().filter(|folder| folder.is_dir()) {
            watcher.watch(folder, RecursiveMode::NonRecursive).map_err(StartError::Watch)?;
        }
        // What changed before the watcher stood.
        self.load().await;
        while shutdown.run_until_cancelled(changes.recv()).await.flatten().is_some() {
            sleep(DEBOUNCE).await;
            self.load().await;
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
