//! The transaction of a request, and what is done after it.
//!
//! What a hook elsewhere does may take seconds. Those that only send something are called after the commit, when nothing
//! is locked and no connection is held. Those that decide inside a transaction take one of a few places first, so that
//! slow ones leave most connections to requests that ask nobody (auth.md M22, C15).

use std::{
    ops::{Deref, DerefMut},
    sync::{Arc, Mutex, PoisonError},
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

/// What hooks elsewhere have to be told once the request's transaction is committed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Errands(Arc<Mutex<Vec<Errand>>>);

impl Errands {
    pub(crate) fn add(&self, errand: Errand) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(errand);
    }

    fn take(&self) -> Vec<Errand> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
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

    /// Begins the transaction of a request that makes accounts or tokens, about which hooks may decide. Where one of those
    /// is elsewhere, it waits for one of the few places first, without a connection.
    ///
    /// # Errors
    /// As [`Inner::begin`].
    pub(crate) async fn begin_judged(&self, context: &Context) -> Result<Work, AuthError> {
        let place = match &self.places {
            Some(places) => Some(Arc::clone(places).acquire_owned().await.map_err(|_| AuthError::Timeout)?),
            None => None,
        };
        Ok(Work { place, ..self.begin(context).await? })
    }

    /// Commits, and does what was put off until then.
    ///
    /// # Errors
    /// What a deferred constraint or trigger of the project says; what a hook says that had to send something.
    pub(crate) async fn commit(&self, work: Work) -> Result<(), AuthError> {
        self.commit_alone(work).await?.run(self).await
    }

    /// Commits; what was put off is the caller's to do.
    ///
    /// # Errors
    /// As [`Inner::commit`], hooks apart.
    pub(crate) async fn commit_alone(&self, work: Work) -> Result<Errands, AuthError> {
        let Work { transaction, errands, place } = work;
        transaction.commit().await.map_err(|error| AuthError::saving(error, self.explains))?;
        drop(place);
        Ok(errands)
    }
}
