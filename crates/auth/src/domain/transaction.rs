//! The transaction of a request, and what is done after it.
//!
//! A remote hook may take seconds, and an open transaction locks rows and holds a connection. So no
//! remote hook is called inside a transaction (CONTRACT.md M22, C15). Those that send something or
//! change claims are called after the commit; the one that approves new accounts is called between
//! two transactions ([`crate::domain::accounts`]).

use std::ops::{Deref, DerefMut};

use sqlx::{PgConnection, Postgres, Transaction};

use crate::{
    context::ServiceContext,
    hooks,
    model::after_commit::AfterCommit,
    wire::{error::AuthError, request::RequestContext},
};

/// A transaction of a request. See [`ServiceContext::begin`].
pub(crate) struct RequestTransaction {
    transaction: Transaction<'static, Postgres>,
    after_commit: AfterCommit,
}

impl Deref for RequestTransaction {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.transaction
    }
}

impl DerefMut for RequestTransaction {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.transaction
    }
}

impl RequestTransaction {
    /// Rolls back, and discards what waited for the commit.
    pub(crate) fn roll_back(self) {
        self.after_commit.discard();
    }
}

impl ServiceContext {
    /// Begins a transaction. Log lines of an earlier transaction that did not commit are discarded.
    ///
    /// # Errors
    /// When the pool has no connection.
    pub(crate) async fn begin(&self, context: &RequestContext) -> Result<RequestTransaction, AuthError> {
        let transaction = self.pool.begin().await?;
        context.after_commit.discard_log();
        Ok(RequestTransaction { transaction, after_commit: context.after_commit.clone() })
    }

    /// Commits, then does what waited for the commit. It does so even if the client hangs up or the
    /// time limit ends, so a code that counts is also sent.
    ///
    /// # Errors
    /// What a deferred constraint or trigger of the project raises; what a hook answers that had to
    /// send something.
    pub(crate) async fn commit(&self, request: RequestTransaction) -> Result<(), AuthError> {
        if request.after_commit.is_empty() {
            return self.commit_without_hooks(request).await.map(drop);
        }
        let service = self.weak_self.upgrade().expect("who is borrowed here is not dropped");
        let done = tokio::spawn(Box::pin(async move {
            let after_commit = service.commit_without_hooks(request).await?;
            // The shutdown waits for these permits.
            let _permit = service.after_commit_permits.acquire().await.map_err(|_| AuthError::Timeout)?;
            service.call_hooks(&after_commit).await
        }));
        done.await.unwrap_or(Err(AuthError::Timeout))
    }

    /// Calls the hooks that waited for the commit, one after the other.
    ///
    /// # Errors
    /// The first failure that the client should know. The other hooks are called all the same.
    pub(crate) async fn call_hooks(&self, after_commit: &AfterCommit) -> Result<(), AuthError> {
        let mut outcome = Ok(());
        for call in after_commit.take() {
            let done = hooks::run(self, call).await;
            outcome = outcome.and(done);
        }
        outcome
    }

    /// Commits, writes the log lines and wakes the mail queue. The caller calls the hooks.
    ///
    /// # Errors
    /// As [`ServiceContext::commit`], without those of hooks.
    pub(crate) async fn commit_without_hooks(
        &self,
        request: RequestTransaction,
    ) -> Result<AfterCommit, AuthError> {
        let RequestTransaction { transaction, after_commit } = request;
        let pending_log = after_commit.pending_log();
        if let Err(error) = transaction.commit().await {
            if matches!(error, sqlx::Error::Database(_)) {
                pending_log.discard();
            }
            return Err(AuthError::saving(error, self.exposes_sql_errors));
        }
        drop(pending_log);
        if after_commit.take_mail_queued() {
            self.mail.wake();
        }
        Ok(after_commit)
    }
}
