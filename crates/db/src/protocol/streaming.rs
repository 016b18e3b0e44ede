//! Whether a large last column may be streamed to its reader while it arrives.
//!
//! A reader keeps its connection for as long as it takes. So only half of a pool's connections may
//! be kept like that, and slow readers never hold up everybody: each needs a [`StreamPermit`].

use std::{sync::Arc, time::Duration};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::RunError;

/// A last column that is larger is streamed.
pub(crate) const LARGEST_WHOLE: usize = 64 << 10;
/// Up to so much is collected all the same where no permit is free.
pub(crate) const LARGEST_WITHOUT_PERMIT: usize = 1 << 20;

/// Permits of one pool to stream large answers.
#[derive(Debug)]
pub(crate) struct StreamPermits(Arc<Semaphore>);

/// Permission to stream one large answer.
#[derive(Debug)]
pub(crate) struct StreamPermit {
    _permit: OwnedSemaphorePermit,
}

impl StreamPermits {
    pub(crate) fn new(count: usize) -> Self {
        Self(Arc::new(Semaphore::new(count)))
    }

    /// A permit, if one is free.
    pub(crate) fn try_acquire(&self) -> Option<StreamPermit> {
        let permit = Arc::clone(&self.0).try_acquire_owned().ok()?;
        Some(StreamPermit { _permit: permit })
    }

    /// A permit, after at most `limit` of waiting for others.
    pub(crate) async fn acquire(&self, limit: Duration) -> Result<StreamPermit, RunError> {
        let permit = tokio::time::timeout(limit, Arc::clone(&self.0).acquire_owned()).await;
        let permit = permit.map_err(|_| RunError::PoolTimeout(limit))?;
        Ok(StreamPermit { _permit: permit.map_err(|_| RunError::closed())? })
    }

    /// From now on nobody gets one.
    pub(crate) fn close(&self) {
        self.0.close();
    }
}

/// Whether a large last column may be streamed.
pub(crate) enum Streaming<'p> {
    Never,
    Permitted(StreamPermit),
    /// If a permit is free by the time that it is needed; otherwise up to `most` bytes are
    /// collected.
    IfFree {
        permits: &'p StreamPermits,
        most: usize,
    },
}

/// What becomes of a large row.
pub(crate) enum Decision {
    Stream(StreamPermit),
    Collect,
    NoPermit,
}

impl Streaming<'_> {
    pub(crate) fn is_possible(&self) -> bool {
        !matches!(self, Self::Never)
    }

    /// What to do with a row of so many bytes.
    pub(crate) fn decide(&mut self, length: usize) -> Decision {
        match std::mem::replace(self, Self::Never) {
            Self::Permitted(permit) => Decision::Stream(permit),
            Self::IfFree { permits, most } => match permits.try_acquire() {
                Some(permit) => Decision::Stream(permit),
                None if length <= most => Decision::Collect,
                None => Decision::NoPermit,
            },
            Self::Never => Decision::Collect,
        }
    }
}
