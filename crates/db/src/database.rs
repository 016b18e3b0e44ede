//! The handle: pools, `run_as`, `listen`.

use std::sync::Arc;

use sqlx::PgPool;

use crate::{ConnectError, DatabaseSettings, Login, Rows, RunAs, RunError, notifications::Notifications};

/// A handle on one database; clones share the connections.
#[derive(Debug, Clone)]
pub struct Database {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    settings: DatabaseSettings,
}

impl Database {
    /// Makes a handle. Connections are opened when first needed, so this works before the server is up.
    /// It must be called inside a Tokio runtime.
    ///
    /// # Errors
    /// [`ConnectError`] when the settings cannot be used, never because the server is away.
    pub fn connect(settings: &DatabaseSettings) -> Result<Self, ConnectError> {
        Ok(Self { inner: Arc::new(Inner { settings: settings.clone() }) })
    }

    /// The settings it was made from.
    #[must_use]
    pub fn settings(&self) -> &DatabaseSettings {
        &self.inner.settings
    }

    /// The pool of a login role, for fixed SQL that a service owns.
    #[must_use]
    pub fn pool(&self, login: Login) -> &PgPool {
        let _ = login;
        unimplemented!()
    }

    /// Runs a statement as a caller: role, claims, settings, statement and commit in one flight (decisions P08).
    ///
    /// Dropping the future cancels the statement on the server and closes its connection; the transaction is rolled
    /// back unless it was already committing.
    ///
    /// # Errors
    /// [`RunError`]; see its variants for what was committed.
    #[expect(clippy::unused_async, reason = "the flight follows")]
    pub async fn run_as(&self, run: &RunAs<'_>) -> Result<Rows, RunError> {
        let _ = run;
        unimplemented!()
    }

    /// Listens on a channel of `notify` from now on.
    #[must_use]
    pub fn listen(&self, channel: &str) -> Notifications {
        let _ = channel;
        unimplemented!()
    }

    /// Asks the server for a sign of life as the role `authenticator`, for readiness probes.
    ///
    /// # Errors
    /// [`RunError`] when no connection answers within the settings' bounds.
    #[expect(clippy::unused_async, reason = "the flight follows")]
    pub async fn ping(&self) -> Result<(), RunError> {
        unimplemented!()
    }
}
