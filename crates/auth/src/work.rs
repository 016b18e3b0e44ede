//! The transaction of a request, and what is done after it.
//!
//! What a hook elsewhere does may take seconds, so none is asked while a transaction is open, which locks rows and
//! holds a connection: those that only send something, and the one that has a say about claims, after the commit; the
//! one that judges new accounts between two transactions (`accounts::judged`;
//! CONTRACT.md M22, C15).

use std::ops::{Deref, DerefMut};

use sqlx::{PgConnection, Postgres, Transaction};

use crate::{errands::Errands, error::AuthError, hooks, request::Context, state::Inner};

/// A transaction; see [`Inner::begin`].
pub(crate) struct Work {
    transaction: Transaction<'static, Postgres>,
    errands: Errands,
}

impl Deref for Work {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.transaction
    }
}

impl DerefMut for Work {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.transaction
    }
}

impl Work {
    /// Ends it with nothing done, nor to be done after it.
    pub(crate) fn give_up(self) {
        self.errands.forget();
    }
}

impl Inner {
    /// Begins the transaction of a request. What an earlier one of it noted and did not commit was not done.
    ///
    /// # Errors
    /// When no connection is to be had.
    pub(crate) async fn begin(&self, context: &Context) -> Result<Work, AuthError> {
        let transaction = self.pool.begin().await?;
        context.errands.forget_lines();
        Ok(Work { transaction, errands: context.errands.clone() })
    }

    /// Commits, and does what was put off until then. That is done although the client hangs up or its time is over: a
    /// code that counts is sent, too.
    ///
    /// # Errors
    /// What a deferred constraint or trigger of the project says; what a hook says that had to send something.
    pub(crate) async fn commit(&self, work: Work) -> Result<(), AuthError> {
        if work.errands.is_empty() {
            return self.commit_alone(work).await.map(drop);
        }
        let inner = self.itself.upgrade().expect("who is borrowed here is not dropped");
        let done = tokio::spawn(Box::pin(async move {
            let errands = inner.commit_alone(work).await?;
            // Only for the end of the service, which waits for them.
            let _place = inner.errands.acquire().await.map_err(|_| AuthError::Timeout)?;
            inner.run(&errands).await
        }));
        done.await.unwrap_or(Err(AuthError::Timeout))
    }

    /// Does what was put off until a commit, one after the other.
    ///
    /// # Errors
    /// Of the first that failed and whose outcome the client is to know; the others are done all the same.
    pub(crate) async fn run(&self, errands: &Errands) -> Result<(), AuthError> {
        let mut outcome = Ok(());
        for errand in errands.take() {
            let done = hooks::run(self, errand).await;
            outcome = outcome.and(done);
        }
        outcome
    }

    /// Commits, tells the log, and has mails sent; what hooks are to be told is the caller's to do.
    ///
    /// # Errors
    /// As [`Inner::commit`], hooks apart.
    pub(crate) async fn commit_alone(&self, work: Work) -> Result<Errands, AuthError> {
        let Work { transaction, errands } = work;
        let telling = errands.telling();
        if let Err(error) = transaction.commit().await {
            if matches!(error, sqlx::Error::Database(_)) {
                telling.refused();
            }
            return Err(AuthError::saving(error, self.explains));
        }
        drop(telling);
        if errands.take_mail() {
            self.mail.ring();
        }
        Ok(errands)
    }
}
