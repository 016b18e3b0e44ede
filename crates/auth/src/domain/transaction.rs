//! The transaction of a request, and what is done after it.
//!
//! What a hook elsewhere does may take seconds, so none is asked while a transaction is open, which locks rows and
//! holds a connection: those that only send something, and the one that has a say about claims, after the commit; the
//! one that judges new accounts between two transactions (`accounts::judged`;
//! CONTRACT.md M22, C15).

use std::ops::{Deref, DerefMut};

use sqlx::{PgConnection, Postgres, Transaction};

use crate::{
    context::ServiceContext,
    hooks,
    model::after_commit::AfterCommit,
    wire::{error::AuthError, request::RequestContext},
};

/// A transaction; see [`ServiceContext::begin`].
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
    /// Ends it with nothing done, nor to be done after it.
    pub(crate) fn roll_back(self) {
        self.after_commit.discard();
    }
}

impl ServiceContext {
    /// Begins the transaction of a request. What an earlier one of it noted and did not commit was not done.
    ///
    /// # Errors
    /// When no connection is to be had.
    pub(crate) async fn begin(&self, context: &RequestContext) -> Result<RequestTransaction, AuthError> {
        let transaction = self.pool.begin().await?;
        context.after_commit.discard_log();
        Ok(RequestTransaction { transaction, after_commit: context.after_commit.clone() })
    }

    /// Commits, and does what was put off until then. That is done although the client hangs up or its time is over: a
    /// code that counts is sent, too.
    ///
    /// # Errors
    /// What a deferred constraint or trigger of the project says; what a hook says that had to send something.
    pub(crate) async fn commit(&self, request: RequestTransaction) -> Result<(), AuthError> {
        if request.after_commit.is_empty() {
            return self.commit_without_hooks(request).await.map(drop);
        }
        let service = self.weak_self.upgrade().expect("who is borrowed here is not dropped");
        let done = tokio::spawn(Box::pin(async move {
            let after_commit = service.commit_without_hooks(request).await?;
            // Only for the end of the service, which waits for them.
            let _permit = service.after_commit_permits.acquire().await.map_err(|_| AuthError::Timeout)?;
            service.call_hooks(&after_commit).await
        }));
        done.await.unwrap_or(Err(AuthError::Timeout))
    }

    /// Does what was put off until a commit, one after the other.
    ///
    /// # Errors
    /// Of the first that failed and whose outcome the client is to know; the others are done all the same.
    pub(crate) async fn call_hooks(&self, after_commit: &AfterCommit) -> Result<(), AuthError> {
        let mut outcome = Ok(());
        for call in after_commit.take() {
            let done = hooks::run(self, call).await;
            outcome = outcome.and(done);
        }
        outcome
    }

    /// Commits, tells the log, and has mails sent; what hooks are to be told is the caller's to do.
    ///
    /// # Errors
    /// As [`ServiceContext::commit`], hooks apart.
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
            self.mail.ring();
        }
        Ok(after_commit)
    }
}
