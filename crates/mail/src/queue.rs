//! Putting messages into the queue.

use std::sync::Arc;

use sqlx::{PgExecutor, PgPool};
use time::OffsetDateTime;
use tokio::sync::Notify;
use uuid::Uuid;

use crate::{MailError, Message, store};

/// The queue of outgoing mail. Clones share one pool and one bell.
#[derive(Debug, Clone)]
pub struct MailQueue {
    pool: PgPool,
    bell: Arc<Notify>,
}

/// A message in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Enqueued {
    /// Its id; also the local part of its Message-ID.
    pub id: Uuid,
    /// Whether the idempotency key was known and nothing new was queued.
    pub replayed: bool,
}

impl MailQueue {
    /// A queue over the pool of `supabase_admin`, who owns the schema `mail`.
    #[must_use]
    pub fn new(pool: PgPool) -> Self {
        Self { pool, bell: Arc::default() }
    }

    /// Queues one message. With a connection inside a transaction it is sent if and only if that commits; the
    /// connection may be any role that was granted `mail.enqueue`, such as `supabase_auth_admin`. Once it is committed,
    /// [`MailQueue::ring`] has it sent at once.
    ///
    /// # Errors
    /// [`MailError::KeyReused`] when the idempotency key belongs to other content; [`MailError::Store`].
    pub async fn enqueue(
        &self,
        executor: impl PgExecutor<'_>,
        message: &Message,
        now: OffsetDateTime,
    ) -> Result<Enqueued, MailError> {
        let row = store::insert(executor, message, now).await?;
        if row.same_content {
            Ok(Enqueued { id: row.id, replayed: row.replayed })
        } else {
            Err(MailError::KeyReused)
        }
    }

    /// Wakes the drain of this process; nobody waits longer than a few seconds where nobody rings.
    pub fn ring(&self) {
        self.bell.notify_one();
    }

    pub(crate) fn bell(&self) -> &Notify {
        &self.bell
    }

    pub(crate) fn pool(&self) -> &PgPool {
        &self.pool
    }
}
