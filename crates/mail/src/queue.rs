//! Putting messages into the queue.

use std::sync::Arc;

use sqlx::{PgExecutor, PgPool};
use time::OffsetDateTime;
use tokio::sync::Notify;
use uuid::Uuid;

use crate::{MailError, Message, store};

/// The queue of outgoing mail. Clones share one pool and wake the same drain.
#[derive(Debug, Clone)]
pub struct MailQueue {
    pool: PgPool,
    notify: Arc<Notify>,
}

/// A message in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Enqueued {
    /// Its id; also the local part of its Message-ID.
    pub id: Uuid,
    /// `true`: the idempotency key was known, so nothing was queued.
    pub replayed: bool,
}

impl MailQueue {
    /// A queue over the pool of `supabase_admin`, who owns the schema `mail`.
    #[must_use]
    pub fn new(pool: PgPool) -> Self {
        Self { pool, notify: Arc::default() }
    }

    /// Queues one message. With a connection inside a transaction it is sent if and only if that
    /// commits; the connection may be any role that was granted `mail.enqueue`, such as
    /// `supabase_auth_admin`. Once it is committed, [`MailQueue::wake`] has it sent at once.
    ///
    /// # Errors
    /// [`MailError::KeyReused`] when the idempotency key belongs to other content;
    /// [`MailError::Store`].
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

    /// Wakes the drain of this process; without it the drain looks every few seconds.
    pub fn wake(&self) {
        self.notify.notify_one();
    }

    /// Waits for the next [`MailQueue::wake`].
    pub(crate) async fn woken(&self) {
        self.notify.notified().await;
    }

    pub(crate) fn pool(&self) -> &PgPool {
        &self.pool
    }
}
