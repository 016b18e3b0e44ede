//! Who may read and write a private topic: row-level security on `realtime.messages` alone.
//!
//! A check is one round trip, and its answer is remembered for a second (CONTRACT.md A10).

/// The checks, as SQL.
mod checks;

/// Answers of the last second.
mod recent_answers;

#[cfg(test)]
mod tests;

use std::{sync::Arc, time::Instant};

use banyan_db::Database;
use banyan_identity::Caller;
use ring::digest::{Context, SHA256};

use self::{checks::Checks, recent_answers::RecentAnswers};
use crate::model::Topic;

/// Asks the policies. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Authorization {
    checks: Checks,
    read: Arc<RecentAnswers<Result<ReadRights, AuthorizationError>>>,
    written: Arc<RecentAnswers<Result<bool, AuthorizationError>>>,
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

impl Extension {
    /// The value of the column `extension`.
    fn name(self) -> &'static str {
        match self {
            Self::Broadcast => "broadcast",
            Self::Presence => "presence",
        }
    }
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
        Self { checks: Checks::new(database), read: Arc::default(), written: Arc::default() }
    }

    /// What a caller may read. A policy that raises an error denies.
    ///
    /// # Errors
    /// [`AuthorizationError`] where no policy was asked.
    pub(crate) async fn read(
        &self,
        asking: Asking<'_>,
        with_presence: bool,
    ) -> Result<ReadRights, AuthorizationError> {
        let extensions: &[Extension] = match with_presence {
            true => &[Extension::Broadcast, Extension::Presence],
            false => &[Extension::Broadcast],
        };
        let key = asking.key(extensions);
        // On the heap, and while it runs alone: a socket that waits for nothing stays small.
        let ask = async { Box::pin(self.checks.read(asking, extensions)).await };
        self.read.answer(key, Instant::now(), ask).await
    }

    /// Whether a caller may write.
    ///
    /// # Errors
    /// As [`Authorization::read`].
    pub(crate) async fn write(
        &self,
        asking: Asking<'_>,
        extension: Extension,
    ) -> Result<bool, AuthorizationError> {
        let key = asking.key(&[extension]);
        let ask = async { Box::pin(self.checks.write(asking, extension)).await };
        self.written.answer(key, Instant::now(), ask).await
    }
}

impl Asking<'_> {
    /// Equal for questions that the policies answer alike. All claims count, so an answer to one
    /// token is none to the next.
    fn key(&self, extensions: &[Extension]) -> Key {
        let mut digest = Context::new(&SHA256);
        let parts = [&*self.topic.name, self.caller.role(), self.caller.claims().json(), self.headers];
        for part in parts.into_iter().chain(extensions.iter().map(|extension| extension.name())) {
            digest.update(&part.len().to_be_bytes());
            digest.update(part.as_bytes());
        }
        digest.finish().as_ref().try_into().expect("SHA-256 has 32 bytes")
    }
}

/// Which question it was.
type Key = [u8; 32];
