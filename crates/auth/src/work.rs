//! The transaction of a request, and what is done after it.
//!
//! What a hook elsewhere does may take seconds, so none is asked while a transaction is open, which locks rows and
//! holds a connection: those that only send something, and the one that has a say about claims, after the commit; the
//! one that judges new accounts between two transactions (`accounts::judged`; auth.md M22, C15).

use std::{
    ops::{Deref, DerefMut},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use sqlx::{PgConnection, Postgres, Transaction};

use crate::{
    error::AuthError,
    hooks::Errand,
    journal::{Line, Note},
    request::Context,
    state::Inner,
};

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
        self.errands.take();
        self.errands.forget_lines();
        self.errands.0.mailed.store(false, Ordering::Relaxed);
    }
}

/// What is to be done once the request's transaction is committed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Errands(Arc<Kept>);

#[derive(Debug, Default)]
struct Kept {
    /// What hooks elsewhere have to be told.
    told: Mutex<Vec<Errand>>,
    /// What the log is to be told.
    lines: Mutex<Vec<Line>>,
    /// What users did that is committed.
    done: Mutex<Vec<Note>>,
    /// Whether a mail was queued.
    mailed: AtomicBool,
}

impl Errands {
    pub(crate) fn add(&self, errand: Errand) {
        locked(&self.0.told).push(errand);
    }

    /// Has the log told, once it is so.
    pub(crate) fn say(&self, line: Line) {
        locked(&self.0.lines).push(line);
    }

    /// What users did that is committed.
    pub(crate) fn done(&self) -> Vec<Note> {
        locked(&self.0.done).clone()
    }

    fn forget_lines(&self) {
        locked(&self.0.lines).clear();
    }

    /// What the log is to be told of a commit that is about to be sent.
    fn telling(&self) -> Telling {
        let lines = std::mem::take(&mut *locked(&self.0.lines));
        Telling { lines, errands: self.clone() }
    }

    /// Tells the log of what is committed.
    pub(crate) fn tell(&self, line: Line) {
        line.write();
        if let Line::Audit(note) = line {
            locked(&self.0.done).push(note);
        }
    }

    /// Notes that a mail was queued, which is to be sent at once.
    pub(crate) fn add_mail(&self) {
        self.0.mailed.store(true, Ordering::Relaxed);
    }

    fn is_empty(&self) -> bool {
        locked(&self.0.told).is_empty()
    }

    fn take(&self) -> Vec<Errand> {
        std::mem::take(&mut *locked(&self.0.told))
    }

    /// Does them one after the other.
    ///
    /// # Errors
    /// Of the first that failed and whose outcome the client is to know; the others are done all the same.
    pub(crate) async fn run(&self, inner: &Inner) -> Result<(), AuthError> {
        let mut outcome = Ok(());
        for errand in self.take() {
            let done = errand.run(inner).await;
            outcome = outcome.and(done);
        }
        outcome
    }
}

/// Tells the log once it is dropped, unless PostgreSQL refused. A commit that was sent counts, whoever still waits for its end:
/// a client that hangs up, a time that is over and a connection that breaks would else take the lines of what was done along.
#[must_use = "dropped at once, it tells of what is not done yet"]
struct Telling {
    lines: Vec<Line>,
    errands: Errands,
}

impl Telling {
    /// Says nothing, since nothing was done.
    fn refused(mut self) {
        self.lines.clear();
    }
}

impl Drop for Telling {
    fn drop(&mut self) {
        for line in self.lines.drain(..) {
            self.errands.tell(line);
        }
    }
}

fn locked<T>(list: &Mutex<Vec<T>>) -> MutexGuard<'_, Vec<T>> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
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
            errands.run(&inner).await
        }));
        done.await.unwrap_or(Err(AuthError::Timeout))
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
        if errands.0.mailed.swap(false, Ordering::Relaxed) {
            self.mail.ring();
        }
        Ok(errands)
    }
}
