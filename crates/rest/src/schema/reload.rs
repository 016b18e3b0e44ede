//! Keeps the snapshot current (rest.md L02 to L12).

use std::{sync::Arc, time::Duration};

use arc_swap::ArcSwapOption;
use banyan_db::{Database, notifications::Notice};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::{Snapshot, load};
use crate::{error::Error, settings::Settings};

/// The channel that `notify` and the event triggers use.
const CHANNEL: &str = "pgrst";

/// Notifications that come this soon after a reload are answered by one more (rest.md L07).
const DEBOUNCE: Duration = Duration::from_millis(100);

/// A failed reload is tried again after this long, then after twice as long, up to [`LONGEST_RETRY`].
const FIRST_RETRY: Duration = Duration::from_millis(250);

/// The longest wait between two tries.
const LONGEST_RETRY: Duration = Duration::from_secs(32);

/// The current snapshot, swapped whole.
#[derive(Debug, Default)]
pub struct Schema {
    snapshot: ArcSwapOption<Snapshot>,
}

impl Schema {
    /// The snapshot that serves now.
    ///
    /// # Errors
    /// PGRST002 before the first one is loaded.
    pub fn current(&self) -> Result<Arc<Snapshot>, Error> {
        self.snapshot.load_full().ok_or(Error::NoSchema)
    }

    /// Reads the catalog once and swaps it in. A failure keeps the old one, is logged, and returns false.
    pub async fn reload(&self, database: &Database, settings: &Settings) -> bool {
        match load::load(database, settings).await {
            Ok(catalog) => {
                let relations = catalog.relations.len();
                self.snapshot.store(Some(Arc::new(Snapshot::new(catalog, settings.clone()))));
                tracing::info!(schema.relations = relations, "schema loaded");
                true
            }
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "schema could not be loaded");
                false
            }
        }
    }

    /// Loads whenever the database says that it changed, until `stop`.
    ///
    /// It listens before it loads, so no change falls between the two, and loads anew after a lost connection, since
    /// notifications may have been missed (rest.md L12). The first notification is answered at once, those that come
    /// while that load runs by one more load (rest.md L07).
    pub async fn follow(&self, database: &Database, settings: &Settings, stop: CancellationToken) {
        let watch = async {
            let mut notices = database.listen(CHANNEL);
            loop {
                if !asks_for_reload(&notices.next().await) {
                    continue;
                }
                self.insist(database, settings).await;
                sleep(DEBOUNCE).await;
                let mut again = false;
                while let Ok(notice) = timeout(Duration::ZERO, notices.next()).await {
                    again |= asks_for_reload(&notice);
                }
                if again {
                    self.insist(database, settings).await;
                }
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            () = watch => {}
        }
    }

    /// Reloads until it succeeds.
    async fn insist(&self, database: &Database, settings: &Settings) {
        let mut wait = FIRST_RETRY;
        while !self.reload(database, settings).await {
            sleep(wait).await;
            wait = (wait * 2).min(LONGEST_RETRY);
        }
    }
}

/// `reload schema` and the empty payload do; `reload config` and others do not (rest.md L03, L04).
fn asks_for_reload(notice: &Notice) -> bool {
    match notice {
        Notice::Connected => true,
        Notice::Payload(payload) => payload.is_empty() || payload == "reload schema",
    }
}
