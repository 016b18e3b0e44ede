//! Who writes to which resumable upload on this node (CONTRACT.md T11).
//!
//! An upload has one writer. Who comes later asks the writer to stop, waits until it has made
//! durable what it received, and becomes the writer. A client that lost its connection is thus not
//! kept out by its own old request, which may wait for bytes that never come.
//!
//! Writers of other nodes are not known here. The row's `generation` keeps them apart: see
//! `store/resumable_uploads.rs`.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use crate::{error::StorageError, model::Version};

/// Longest wait for a writer to stop.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// The writers of this node. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Writers(Arc<Mutex<HashMap<Version, Signals>>>);

/// How a writer and those who wait for it speak to each other.
#[derive(Debug, Clone, Default)]
struct Signals {
    stop: CancellationToken,
    stopped: CancellationToken,
}

/// The right to write to an upload, until it is dropped.
#[derive(Debug)]
pub(crate) struct Writer {
    writers: Writers,
    version: Version,
    signals: Signals,
}

impl Writers {
    /// Becomes the writer of an upload; a writer that is there is asked to stop.
    ///
    /// # Errors
    /// `ResourceLocked` if it does not stop in 5 s. Dropping the future is safe.
    pub(crate) async fn take_over(&self, version: Version) -> Result<Writer, StorageError> {
        self.take_within(LONGEST_WAIT, version).await
    }

    async fn take_within(&self, wait: Duration, version: Version) -> Result<Writer, StorageError> {
        let taken = timeout(wait, self.wait_for(version)).await;
        taken.map_err(|_| StorageError::ResourceLocked)
    }

    async fn wait_for(&self, version: Version) -> Writer {
        loop {
            match self.try_take(version) {
                Ok(writer) => return writer,
                Err(holder) => {
                    holder.stop.cancel();
                    holder.stopped.cancelled().await;
                }
            }
        }
    }

    /// The signals of the writer that is there, if there is one.
    fn try_take(&self, version: Version) -> Result<Writer, Signals> {
        let mut all = self.all();
        if let Some(holder) = all.get(&version) {
            return Err(holder.clone());
        }
        let signals = Signals::default();
        all.insert(version, signals.clone());
        Ok(Writer { writers: self.clone(), version, signals })
    }

    fn all(&self) -> MutexGuard<'_, HashMap<Version, Signals>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Writer {
    /// Waits until somebody else wants to write.
    pub(crate) fn asked_to_stop(&self) -> WaitForCancellationFutureOwned {
        self.signals.stop.clone().cancelled_owned()
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.writers.all().remove(&self.version);
        self.signals.stopped.cancel();
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const UPLOAD: Version = Version(Uuid::from_u128(1));

    // rows: T11
    #[tokio::test]
    async fn who_comes_later_asks_the_writer_to_stop_and_follows_it() {
        let writers = Writers::default();
        let first = writers.take_over(UPLOAD).await.expect("free");
        let second = tokio::spawn({
            let writers = writers.clone();
            async move { writers.take_over(UPLOAD).await }
        });
        first.asked_to_stop().await;
        assert!(writers.try_take(UPLOAD).is_err(), "the first one still writes");
        drop(first);
        let second = second.await.expect("no panic").expect("free again");
        assert!(writers.try_take(UPLOAD).is_err());
        drop(second);
        assert!(writers.all().is_empty());
    }

    // rows: T11
    #[tokio::test]
    async fn who_waits_too_long_is_told_that_the_upload_is_locked() {
        let writers = Writers::default();
        let _first = writers.take_over(UPLOAD).await.expect("free");
        let second = writers.take_within(Duration::ZERO, UPLOAD).await;
        assert!(matches!(second, Err(StorageError::ResourceLocked)));
    }

    // rows: T11
    #[tokio::test]
    async fn uploads_do_not_wait_for_each_other() {
        let writers = Writers::default();
        let _first = writers.take_over(UPLOAD).await.expect("free");
        assert!(writers.try_take(Version(Uuid::from_u128(2))).is_ok());
    }
}
