//! The transaction of a request, and what is done after it.
//!
//! What a hook elsewhere does may take seconds. Those that only send something, and the one that has a say about claims, are
//! asked after the commit, when nothing is locked and no connection is held. The one that judges new accounts decides inside
//! the transaction: who may make one takes one of a few places first, so that a slow one leaves most connections to requests
//! that ask nobody (auth.md M22, C15).

use std::{
    ops::{Deref, DerefMut},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use sqlx::{PgConnection, Postgres, Transaction};
use tokio::sync::OwnedSemaphorePermit;

use crate::{error::AuthError, hooks::Errand, request::Context, state::Inner};

/// A transaction; see [`Inner::begin`].
pub(crate) struct Work {
    transaction: Transaction<'static, Postgres>,
    errands: Errands,
    place: Option<OwnedSemaphorePermit>,
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

/// What is to be done once the request's transaction is committed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Errands(Arc<Kept>);

#[derive(Debug, Default)]
struct Kept {
    /// What hooks elsewhere have to be told.
    told: Mutex<Vec<Errand>>,
    /// Whether a mail was queued.
    mailed: AtomicBool,
}

impl Errands {
    pub(crate) fn add(&self, errand: Errand) {
        self.0.told.lock().unwrap_or_else(PoisonError::into_inner).push(errand);
    }

    /// Notes that a mail was queued, which is to be sent at once.
    pub(crate) fn add_mail(&self) {
        self.0.mailed.store(true, Ordering::Relaxed);
    }

    fn is_empty(&self) -> bool {
        self.0.told.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    fn take(&self) -> Vec<Errand> {
        std::mem::take(&mut self.0.told.lock().unwrap_or_else(PoisonError::into_inner))
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

impl Inner {
    /// Begins the transaction of a request that asks no hook elsewhere for a decision.
    ///
    /// # Errors
    /// When no connection is to be had.
    pub(crate) async fn begin(&self, context: &Context) -> Result<Work, AuthError> {
        let transaction = self.pool.begin().await?;
        Ok(Work { transaction, errands: context.errands.clone(), place: None })
    }

    /// Begins the transaction of a request that may make an account, about which a hook may decide. Where that is elsewhere, it
    /// waits for one of the few places first, without a connection. Who holds the service key does not wait: the hook itself
    /// may be asking, on behalf of those who have the places.
    ///
    /// # Errors
    /// As [`Inner::begin`].
    pub(crate) async fn begin_judged(&self, context: &Context) -> Result<Work, AuthError> {
        let place = match self.places.as_ref().filter(|_| !context.by_service) {
            Some(places) => Some(Arc::clone(places).acquire_owned().await.map_err(|_| AuthError::Timeout)?),
            None => None,
        };
        Ok(Work { place, ..self.begin(context).await? })
    }

    /// Commits, and does what was put off until then. That is done although the client hangs up or its time is over: a code
    /// that counts is sent, too.
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

    /// Commits, and has mails sent; what hooks are to be told is the caller's to do.
    ///
    /// # Errors
    /// As [`Inner::commit`], hooks apart.
    pub(crate) async fn commit_alone(&self, work: Work) -> Result<Errands, AuthError> {
        let Work { transaction, errands, place } = work;
        transaction.commit().await.map_err(|error| AuthError::saving(error, self.explains))?;
        drop(place);
        if errands.0.mailed.swap(false, Ordering::Relaxed) {
            self.mail.ring();
        }
        Ok(errands)
    }
}
