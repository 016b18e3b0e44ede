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
    tx::Tx,
    wire::{error::AuthError, request::RequestContext},
};

/// The open transaction of a request. [`ServiceContext::begin`] opens it,
/// [`RequestTransaction::tx`] is what functions are handed, and [`ServiceContext::commit`] ends it.
pub(crate) struct RequestTransaction<'a> {
    service: &'a ServiceContext,
    context: &'a RequestContext,
    transaction: Transaction<'static, Postgres>,
}

impl Deref for RequestTransaction<'_> {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.transaction
    }
}

impl DerefMut for RequestTransaction<'_> {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.transaction
    }
}

impl RequestTransaction<'_> {
    /// Rolls back, and discards what waited for the commit.
    pub(crate) fn roll_back(self) {
        self.context.after_commit.discard();
    }

    /// What functions of the request are handed: see [`Tx`].
    pub(crate) fn tx(&mut self) -> Tx<'_> {
        Tx { service: self.service, context: self.context, db: &mut self.transaction }
    }
}

impl ServiceContext {
    /// Begins a transaction. Log lines of an earlier transaction that did not commit are discarded.
    ///
    /// # Errors
    /// When the pool has no connection.
    pub(crate) async fn begin<'a>(
        &'a self,
        context: &'a RequestContext,
    ) -> Result<RequestTransaction<'a>, AuthError> {
        let transaction = self.pool.begin().await?;
        context.after_commit.discard_log();
        Ok(RequestTransaction { service: self, context, transaction })
    }

    /// Commits, then does what waited for the commit. It does so even if the client hangs up or the
    /// time limit ends, so a code that counts is also sent.
    ///
    /// # Errors
    /// What a deferred constraint or trigger of the project raises; what a hook answers that had to
    /// send something.
    pub(crate) async fn commit(&self, request: RequestTransaction<'_>) -> Result<(), AuthError> {
        if request.context.after_commit.is_empty() {
            return self.commit_without_hooks(request).await.map(drop);
        }
        let service = self.weak_self.upgrade().expect("who is borrowed here is not dropped");
        let (transaction, after_commit) = (request.transaction, request.context.after_commit.clone());
        let done = tokio::spawn(Box::pin(async move {
            service.save(transaction, &after_commit).await?;
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
        request: RequestTransaction<'_>,
    ) -> Result<AfterCommit, AuthError> {
        let after_commit = request.context.after_commit.clone();
        self.save(request.transaction, &after_commit).await?;
        Ok(after_commit)
    }

    async fn save(
        &self,
        transaction: Transaction<'static, Postgres>,
        after_commit: &AfterCommit,
    ) -> Result<(), AuthError> {
        let pending_log = after_commit.pending_log();
        if let Err(error) = transaction.commit().await {
            if matches!(error, sqlx::Error::Database(_)) {
                pending_log.discard();
            }
            return Err(self.save_error(error));
        }
        drop(pending_log);
        if after_commit.take_mail_queued() {
            self.mail.wake();
        }
        Ok(())
    }
}
