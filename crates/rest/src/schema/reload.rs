//! Keeps the snapshot current (CONTRACT.md L02 to L12).

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use arc_swap::ArcSwapOption;
use banyan_db::{
    Database, RunError,
    listen::{Notice, Notifications},
};
use tokio::{
    sync::{Notify, watch},
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{Snapshot, load};
use crate::{
    configuration::{Configuration, ConfigurationError, CurrentConfiguration},
    error::Error,
};

/// Notifications that come this soon after a reload are answered by one more (CONTRACT.md L07).
const DEBOUNCE: Duration = Duration::from_millis(100);

/// A failed reload is tried again after this long, then after twice as long, up to
/// [`LONGEST_RETRY`].
const FIRST_RETRY: Duration = Duration::from_millis(250);

/// The longest wait between two tries.
const LONGEST_RETRY: Duration = Duration::from_secs(32);

/// A standby may be behind its primary's notice, so it is read again after these times.
const LAGS: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(4)];

/// The part that is read again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reload {
    /// The options alone (CONTRACT.md L04).
    Configuration,
    /// The options and the catalog (CONTRACT.md L03).
    Schema,
}

/// How often the schema was loaded since the start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LoadStatistics {
    /// Loads that went well.
    pub successes: u64,
    /// Loads that failed.
    pub failures: u64,
    /// How long the last good one took.
    pub last_took: Duration,
}

/// Loads are counted from 1. Who wants to see a change that is made reads `begun`, asks for a load,
/// and waits until `serving` is larger than that: the load that serves then began after the change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SchemaLoads {
    /// The load that began last.
    pub begun: u64,
    /// The one that serves; 0 before the first.
    pub serving: u64,
}

/// The current snapshot, swapped whole, and what it was made by.
#[derive(Debug)]
pub struct SchemaCache {
    snapshot: ArcSwapOption<Snapshot>,
    configuration: watch::Sender<Option<CurrentConfiguration>>,
    pending: AtomicBool,
    asked_for_schema: Notify,
    asked_for_configuration: Notify,
    begun: AtomicU64,
    serving: AtomicU64,
    successes: AtomicU64,
    failures: AtomicU64,
    last_took_us: AtomicU64,
    fatal: watch::Sender<Option<String>>,
}

impl Default for SchemaCache {
    fn default() -> Self {
        Self {
            snapshot: ArcSwapOption::default(),
            configuration: watch::Sender::new(None),
            pending: AtomicBool::new(true),
            asked_for_schema: Notify::new(),
            asked_for_configuration: Notify::new(),
            begun: AtomicU64::new(0),
            serving: AtomicU64::new(0),
            successes: AtomicU64::new(0),
            failures: AtomicU64::new(0),
            last_took_us: AtomicU64::new(0),
            fatal: watch::Sender::new(None),
        }
    }
}

impl SchemaCache {
    /// The snapshot that serves now.
    ///
    /// # Errors
    /// PGRST002 before the first one is loaded.
    pub fn current(&self) -> Result<Arc<Snapshot>, Error> {
        self.snapshot.load_full().ok_or(Error::NoSchema)
    }

    /// The current configuration.
    pub(crate) fn configuration(&self) -> watch::Receiver<Option<CurrentConfiguration>> {
        self.configuration.subscribe()
    }

    /// A failure after which the process cannot continue; none until there is one.
    pub(crate) fn fatal(&self) -> watch::Receiver<Option<String>> {
        self.fatal.subscribe()
    }

    /// Returns whether the last load failed, none was tried, or the database is away.
    pub(crate) fn is_pending(&self) -> bool {
        self.pending.load(Ordering::Relaxed)
    }

    /// How often the schema was loaded.
    pub(crate) fn load_statistics(&self) -> LoadStatistics {
        LoadStatistics {
            successes: self.successes.load(Ordering::Relaxed),
            failures: self.failures.load(Ordering::Relaxed),
            last_took: Duration::from_micros(self.last_took_us.load(Ordering::Relaxed)),
        }
    }

    /// The load that serves, and the load that began last.
    pub(crate) fn schema_loads(&self) -> SchemaLoads {
        SchemaLoads { begun: self.begun.load(Ordering::SeqCst), serving: self.serving.load(Ordering::SeqCst) }
    }

    /// Asks [`SchemaCache::follow`] for a reload; several wishes before it comes to them are one.
    pub(crate) fn ask(&self, reload: Reload) {
        match reload {
            Reload::Schema => self.asked_for_schema.notify_one(),
            Reload::Configuration => self.asked_for_configuration.notify_one(),
        }
    }

    /// Reads configuration and catalog once and swaps them in. A failure keeps the old ones, is
    /// logged, and returns false (CONTRACT.md L08).
    pub async fn reload(&self, database: &Database, configuration: &Configuration) -> bool {
        let generation = self.begun.fetch_add(1, Ordering::SeqCst) + 1;
        // Unlike a pool that waits for better times, this says at once that the database is away,
        // and why.
        if let Err(error) = database.ping().await {
            self.give_up_on_login(&error);
            self.failed(&error);
            return false;
        }
        let Some(current) = self.configure(database, configuration).await else { return false };
        let started = Instant::now();
        match load::load(database, &current.settings).await {
            Ok(catalog) => {
                let (took, relations) = (started.elapsed(), catalog.relations.len());
                self.snapshot.store(Some(Arc::new(Snapshot::new(catalog, current.settings))));
                // Sessions of before know the catalog of before (CONTRACT.md L10).
                database.renew();
                self.serving.store(generation, Ordering::SeqCst);
                self.pending.store(false, Ordering::Relaxed);
                self.successes.fetch_add(1, Ordering::Relaxed);
                let took_us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
                self.last_took_us.store(took_us, Ordering::Relaxed);
                let duration_ms = took.as_secs_f64() * 1000.0;
                tracing::info!(schema.relations = relations, duration_ms, "schema loaded");
                true
            }
            Err(error) => {
                self.give_up_on_pooler(error.code().as_deref(), &error);
                self.failed(&error);
                false
            }
        }
    }

    /// A password does not become right by waiting (CONTRACT.md B05).
    fn give_up_on_login(&self, error: &RunError) {
        if matches!(error.code(), Some("28P01" | "28000")) {
            self.give_up(format!("Failed to establish a connection. {error}"));
        }
    }

    /// Nor does a pooler that mixes up statements (CONTRACT.md B05).
    fn give_up_on_pooler(&self, code: Option<&str>, error: &dyn std::error::Error) {
        let cause = error.source().map(ToString::to_string).unwrap_or_default();
        match code {
            Some("42P05" | "26000") => self.give_up(format!(
                "If you are using connection poolers in transaction mode, try setting db-prepared-statements to false. \
                 {cause}"
            )),
            Some("08P01") => {
                self.give_up(format!("Connection poolers in statement mode are not supported. {cause}"));
            }
            _ => {}
        }
    }

    fn give_up(&self, reason: String) {
        self.fatal.send_replace(Some(reason));
    }

    /// The database went away, by the listener's own experience (CONTRACT.md B04).
    fn lost(&self) {
        self.pending.store(true, Ordering::Relaxed);
        self.give_up_without_recovery();
    }

    fn give_up_without_recovery(&self) {
        let current = self.configuration.borrow().clone();
        if current.and_then(|current| current.options).is_some_and(|options| !options.pool.automatic_recovery)
        {
            self.give_up("Automatic recovery disabled, exiting.".to_owned());
        }
    }

    fn failed(&self, error: &(dyn std::error::Error + 'static)) {
        self.pending.store(true, Ordering::Relaxed);
        self.failures.fetch_add(1, Ordering::Relaxed);
        tracing::warn!(error, "schema could not be loaded");
        self.give_up_without_recovery();
    }

    /// Reads the configuration, publishes it and returns it. One that is wrong is logged, and the
    /// old one stays; none comes back when the database cannot be asked.
    async fn configure(
        &self,
        database: &Database,
        configuration: &Configuration,
    ) -> Option<CurrentConfiguration> {
        match configuration.read(database).await {
            Ok(current) => {
                self.configuration.send_replace(Some(current.clone()));
                Some(current)
            }
            Err(ConfigurationError::Wrong(error)) => {
                tracing::error!(error = &error as &dyn std::error::Error, "Failed reloading config");
                let old = self.configuration.borrow().clone();
                old.or_else(|| configuration.without_database().ok())
            }
            Err(error @ ConfigurationError::Query(_)) => {
                self.failed(&error);
                None
            }
        }
    }

    /// Reads the configuration alone; the catalog stays, unless it has to be read by other settings
    /// now.
    async fn reconfigure(&self, database: &Database, configuration: &Configuration) -> bool {
        let Ok(snapshot) = self.current() else { return self.reload(database, configuration).await };
        let Some(current) = self.configure(database, configuration).await else { return false };
        let (old, new) = (&snapshot.settings, &current.settings);
        if old.schemas != new.schemas || old.extra_search_path != new.extra_search_path {
            return self.reload(database, configuration).await;
        }
        let next = Snapshot::new(Arc::clone(&snapshot.catalog), current.settings);
        self.snapshot.store(Some(Arc::new(next)));
        tracing::info!("Config reloaded");
        true
    }

    /// Loads whenever the database or somebody here says that something changed, until `stop`.
    ///
    /// It loads whenever it begins to listen, so no change falls between the two, and anew after a
    /// lost connection, since notifications may have been missed (CONTRACT.md L12). Where nothing
    /// can be listened to, on a standby alone, it still loads once. The first wish is answered at
    /// once, those that come while that load runs by one more load (CONTRACT.md L07).
    pub async fn follow(&self, database: &Database, configuration: &Configuration, stop: CancellationToken) {
        let watch = async {
            let mut listener = SchemaListener::default();
            if self.current().is_err() {
                self.reload_until_done(Reload::Schema, database, configuration).await;
            }
            loop {
                listener.listen_on(database, self.channel(configuration));
                let reload = self.next_reload(&mut listener).await;
                self.reload_until_done(reload, database, configuration).await;
                for lag in LAGS.into_iter().filter(|_| database.is_on_standby()) {
                    sleep(lag).await;
                    self.reload_until_done(reload, database, configuration).await;
                }
                sleep(DEBOUNCE).await;
                let mut again = None;
                while let Ok(reload) = timeout(Duration::ZERO, self.next_reload(&mut listener)).await {
                    again = again.max(Some(reload));
                }
                if let Some(reload) = again {
                    self.reload_until_done(reload, database, configuration).await;
                }
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            () = watch => {}
        }
    }

    fn channel(&self, configuration: &Configuration) -> Option<String> {
        let current = self.configuration.borrow().clone().or_else(|| configuration.without_database().ok());
        current.and_then(|current| current.channel().map(str::to_owned))
    }

    /// The next wish, from wherever it comes.
    async fn next_reload(&self, listener: &mut SchemaListener) -> Reload {
        tokio::select! {
            () = self.asked_for_schema.notified() => Reload::Schema,
            () = self.asked_for_configuration.notified() => Reload::Configuration,
            reload = listener.next_reload(|| self.lost()) => reload,
        }
    }

    /// Reloads until it succeeds.
    async fn reload_until_done(&self, reload: Reload, database: &Database, configuration: &Configuration) {
        let mut wait = FIRST_RETRY;
        while !match reload {
            Reload::Schema => self.reload(database, configuration).await,
            Reload::Configuration => self.reconfigure(database, configuration).await,
        } {
            sleep(wait).await;
            wait = (wait * 2).min(LONGEST_RETRY);
        }
    }
}

/// Listens to the database, on one channel or none.
#[derive(Default)]
struct SchemaListener {
    listening: Option<(String, Notifications)>,
}

impl SchemaListener {
    /// Listens on another channel if there is another to listen on.
    fn listen_on(&mut self, database: &Database, channel: Option<String>) {
        if self.listening.as_ref().map(|(channel, _)| channel) == channel.as_ref() {
            return;
        }
        self.listening = channel.map(|channel| {
            let notices = database.listen(&channel);
            (channel, notices)
        });
    }

    /// Waits for the next notice that requests a reload, without end if there is no channel. `lost`
    /// is called for each lost connection.
    async fn next_reload(&mut self, lost: impl Fn()) -> Reload {
        let Some((_, notices)) = &mut self.listening else { return std::future::pending().await };
        loop {
            let notice = notices.next().await;
            if notice == Notice::Lost {
                lost();
            }
            if let Some(reload) = wanted(&notice) {
                return reload;
            }
        }
    }
}

/// `reload schema`, the empty payload and a new connection ask for everything, `reload config` for
/// the options alone; other payloads ask for nothing (CONTRACT.md L03, L04).
fn wanted(notice: &Notice) -> Option<Reload> {
    match notice {
        Notice::Connected => Some(Reload::Schema),
        Notice::Lost => None,
        Notice::Payload(payload) => match payload.as_str() {
            "" | "reload schema" => Some(Reload::Schema),
            "reload config" => Some(Reload::Configuration),
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: L03 L04
    #[test]
    fn payloads_ask_for_the_schema_for_the_options_or_for_nothing() {
        let payload = |text: &str| wanted(&Notice::Payload(text.to_owned()));
        assert_eq!(payload(""), Some(Reload::Schema));
        assert_eq!(payload("reload schema"), Some(Reload::Schema));
        assert_eq!(payload("reload config"), Some(Reload::Configuration));
        assert_eq!((payload("reload"), payload("RELOAD SCHEMA")), (None, None));
        assert_eq!(
            wanted(&Notice::Connected),
            Some(Reload::Schema),
            "CONTRACT.md L12: something may have been missed"
        );
        assert!(Reload::Schema > Reload::Configuration, "a burst asks for the most of what is in it");
    }
}
