//! The bytes of request bodies that are in memory.

use std::{
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use http_body_util::BodyExt;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use banyan_web::{Body, BoxError};

/// Bytes of one permit.
pub(super) const UNIT: usize = 1024;

/// A bound on the bytes of all bodies that are in memory at a time.
#[derive(Debug, Clone)]
pub(super) struct Uploads {
    pub(super) budget: Arc<Semaphore>,
}

/// What one request holds of it. To be kept until the request is answered.
#[derive(Debug, Clone)]
pub(super) struct Upload {
    budget: Arc<Semaphore>,
    share: Arc<Mutex<Share>>,
    refused: Arc<AtomicBool>,
}

#[derive(Debug, Default)]
struct Share {
    bytes: usize,
    units: usize,
    permit: Option<OwnedSemaphorePermit>,
}

/// More than the budget had left.
#[derive(Debug, thiserror::Error)]
#[error("the server holds too much of other requests")]
struct Full;

impl Uploads {
    /// At most `bytes` in all.
    pub(super) fn new(bytes: usize) -> Self {
        Self { budget: Arc::new(Semaphore::new(bytes.div_ceil(UNIT).min(Semaphore::MAX_PERMITS))) }
    }

    /// Nothing held yet.
    pub(super) fn begin(&self) -> Upload {
        Upload { budget: Arc::clone(&self.budget), share: Arc::default(), refused: Arc::default() }
    }
}

impl Upload {
    /// Takes `bytes` more; false when the budget has not so much left. Units are taken as bytes
    /// fill them, so pieces of a byte each take no more than one piece.
    pub(super) fn take(&self, bytes: usize) -> bool {
        let mut share = self.share.lock().unwrap_or_else(PoisonError::into_inner);
        share.bytes += bytes;
        let wanted = share.bytes.div_ceil(UNIT) - share.units;
        let units = u32::try_from(wanted).unwrap_or(u32::MAX);
        let Ok(more) = Arc::clone(&self.budget).try_acquire_many_owned(units) else {
            self.refused.store(true, Ordering::Relaxed);
            return false;
        };
        share.units += wanted;
        match share.permit.as_mut() {
            Some(permit) => permit.merge(more),
            None => share.permit = Some(more),
        }
        true
    }

    /// Whether the request was given up because its body did not fit.
    pub(super) fn was_refused(&self) -> bool {
        self.refused.load(Ordering::Relaxed)
    }

    /// The body, every byte of which is counted as it arrives.
    pub(super) fn counted(&self, body: Body) -> Body {
        CountedBody { body, upload: self.clone() }.boxed_unsync()
    }
}

struct CountedBody {
    body: Body,
    upload: Upload,
}

impl http_body::Body for CountedBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        if let Some(Ok(frame)) = &frame
            && let Some(data) = frame.data_ref()
            && !self.upload.take(data.len())
        {
            return Poll::Ready(Some(Err(Full.into())));
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
