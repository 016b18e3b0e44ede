//! The settings that hold now. Configuration, secrets and `functions serve` change them while
//! requests run.

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use arc_swap::{ArcSwap, Guard};
use banyan_config::{Config, Function};
use banyan_identity::Keyring;
use tokio::sync::watch;

use super::{ServeSession, Settings, secrets::SecretFile};

/// The settings that hold now.
pub(crate) struct CurrentSettings {
    now: ArcSwap<Settings>,
    keyring: Arc<Keyring>,
    configured: watch::Sender<()>,
    /// How many sessions of `functions serve` were set. Held while one replaces another.
    sessions: Mutex<u64>,
    /// The secrets that are set while the stack runs.
    pub(crate) secrets: SecretFile,
}

impl CurrentSettings {
    /// The settings of a configuration, with the secrets file in the folder of components.
    pub(crate) fn new(config: &Config, keyring: &Arc<Keyring>, components: &Path) -> Self {
        Self {
            now: ArcSwap::from_pointee(Settings::new(config, keyring)),
            keyring: Arc::clone(keyring),
            configured: watch::Sender::default(),
            sessions: Mutex::new(0),
            secrets: SecretFile::new(components),
        }
    }

    /// The settings for a short look.
    pub(crate) fn load(&self) -> Guard<Arc<Settings>> {
        self.now.load()
    }

    /// The settings, to keep.
    pub(crate) fn load_full(&self) -> Arc<Settings> {
        self.now.load_full()
    }

    /// The policy of a function. `verify_jwt` is what the version itself sets.
    pub(crate) fn policy(&self, name: &str, verify_jwt: Option<bool>) -> Arc<Function> {
        self.load().policy(name, verify_jwt)
    }

    /// Functions that have a schedule.
    pub(crate) fn scheduled(&self) -> Vec<String> {
        let settings = self.load();
        let names = settings.policies().map(|(name, _)| name);
        names.filter(|name| settings.schedule(name).is_some()).cloned().collect()
    }

    /// How often the stack itself calls a function.
    pub(crate) fn schedule(&self, name: &str) -> Option<Duration> {
        self.load().schedule(name)
    }

    /// Receives a value for each configuration that is set after this call.
    pub(crate) fn subscribe(&self) -> watch::Receiver<()> {
        self.configured.subscribe()
    }

    /// Sets another configuration. It takes effect at the next scan.
    pub(crate) fn set_config(&self, config: &Config) {
        self.now.rcu(|settings| settings.with_config(config, &self.keyring));
        self.configured.send_replace(());
    }

    /// Sets another session of `functions serve`, which takes effect at the next scan. Returns its
    /// number, and whether it differs from the session before.
    pub(crate) fn set_session(&self, session: &ServeSession) -> (u64, bool) {
        let mut number = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        *number += 1;
        (*number, self.replace_session(session))
    }

    /// Ends a session, unless another one was set since. Returns whether that changes anything at
    /// the next scan.
    pub(crate) fn end_session(&self, number: u64) -> bool {
        let newest = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        *newest == number && self.replace_session(&ServeSession::default())
    }

    fn replace_session(&self, session: &ServeSession) -> bool {
        let changes = !self.load().session.equals(session);
        if changes {
            self.now.rcu(|settings| settings.with_session(session.clone()));
        }
        changes
    }

    /// Reads the secrets again. A configuration or session that is set meanwhile stays.
    pub(crate) fn refresh_secrets(&self) {
        match self.secrets.read() {
            Ok(read) => {
                self.now.rcu(|settings| match settings.with_secrets(&read) {
                    Some(changed) => Arc::new(changed),
                    None => Arc::clone(settings),
                });
            }
            Err(error) => {
                tracing::error!(error = %error, "the secrets cannot be read; those known before stay");
            }
        }
    }
}
