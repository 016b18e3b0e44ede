//! How long a client is waited for. A silent client must not keep the permit of a request.

use std::{
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use banyan_web::{Body, BoxError};
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use http_body_util::BodyExt as _;
use tokio::time::{Instant, Sleep, sleep, timeout};

use crate::error::StorageError;

/// Bytes that earn a client a second more.
const LEAST_RATE: u64 = 1024;

/// The same for what is read whole, which holds memory meanwhile.
const LEAST_RATE_OF_WHOLE: u64 = 8 * 1024;

/// How long a client is waited for (CONTRACT.md U15).
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// Longest time between two pieces of a body. All waits together have no more time than this
    /// and a second for each KiB that came.
    pub piece: Duration,
    /// Longest time for what is read whole: a document, or the fields before a file. Each
    /// 8 KiB that came earn a second more.
    pub whole: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { piece: Duration::from_secs(60), whole: Duration::from_secs(15) }
    }
}

impl Patience {
    /// The same body, which ends in [`TooSlow`] when its client is too slow, and what waits for all
    /// that is read whole of it.
    pub(crate) fn with(self, body: Body) -> (Body, WholeRead) {
        let (sleep, received) = (Box::pin(sleep(self.piece)), Arc::<AtomicU64>::default());
        let whole = WholeRead { longest: self.whole, received: Arc::clone(&received) };
        let waiting = Waiting { body, patience: self, received, waited: Duration::ZERO, since: None, sleep };
        (waiting.boxed_unsync(), whole)
    }
}

/// Waits for what is read whole of one body.
#[derive(Clone)]
pub(crate) struct WholeRead {
    longest: Duration,
    /// Bytes that came.
    received: Arc<AtomicU64>,
}

impl WholeRead {
    /// Waits for what is read whole, longer for a client that sends.
    ///
    /// # Errors
    /// `RequestTimeout`, and those of `read`.
    pub(crate) async fn whole<T>(
        &self,
        read: impl Future<Output = Result<T, StorageError>>,
    ) -> Result<T, StorageError> {
        let (begin, mut read) = (Instant::now(), pin!(read));
        let mut longest = self.longest;
        loop {
            if let Ok(done) = timeout(longest.saturating_sub(begin.elapsed()), read.as_mut()).await {
                return done;
            }
            let earned = self.longest + self.earned();
            if earned <= longest {
                return Err(StorageError::RequestTimeout);
            }
            longest = earned;
        }
    }

    fn earned(&self) -> Duration {
        Duration::from_secs(self.received.load(Ordering::Relaxed) / LEAST_RATE_OF_WHOLE)
    }
}

/// The client sends nothing, or next to nothing.
#[derive(Debug, thiserror::Error)]
#[error("the client is too slow")]
pub(crate) struct TooSlow;

/// A body whose client is waited for.
struct Waiting {
    body: Body,
    patience: Patience,
    /// Bytes that came.
    received: Arc<AtomicU64>,
    /// The time of all waits that are over.
    waited: Duration,
    /// When the wait began that is not over. Until then the service was busy, and not the client.
    since: Option<Instant>,
    sleep: Pin<Box<Sleep>>,
}

impl http_body::Body for Waiting {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(cx) else {
            ready!(self.poll_end_of_patience(cx));
            return Poll::Ready(Some(Err(TooSlow.into())));
        };
        self.stop_waiting();
        if let Some(Ok(frame)) = &frame {
            let size = frame.data_ref().map_or(0, |bytes| bytes.len() as u64);
            self.received.fetch_add(size, Ordering::Relaxed);
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

impl Waiting {
    fn poll_end_of_patience(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.since.is_none() {
            let now = Instant::now();
            let end = now + self.longest_wait();
            self.sleep.as_mut().reset(end);
            self.since = Some(now);
        }
        self.sleep.as_mut().poll(cx)
    }

    fn longest_wait(&self) -> Duration {
        let earned = Duration::from_secs(self.received.load(Ordering::Relaxed) / LEAST_RATE);
        (self.patience.piece + earned).saturating_sub(self.waited).min(self.patience.piece)
    }

    fn stop_waiting(&mut self) {
        self.waited += self.since.take().map_or(Duration::ZERO, |since| since.elapsed());
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{StreamExt as _, stream};
    use http_body_util::StreamBody;

    use super::*;

    /// A client that sends these bytes, and is silent then.
    fn silent_after(bytes: &'static [u8]) -> Body {
        let frames = stream::iter([Ok(Frame::data(Bytes::from_static(bytes)))]).chain(stream::pending());
        StreamBody::new(frames).boxed_unsync()
    }

    fn waiting(size: u64, waited: u64) -> Waiting {
        let patience = Patience::default();
        let sleep = Box::pin(sleep(patience.piece));
        let (received, waited) = (Arc::new(size.into()), Duration::from_secs(waited));
        Waiting { body: banyan_web::empty(), patience, received, waited, since: None, sleep }
    }

    // rows: U15
    #[tokio::test]
    async fn a_body_that_falls_silent_ends() {
        let patience = Patience { piece: Duration::ZERO, whole: Duration::ZERO };
        let (mut body, _) = patience.with(silent_after(b"ab"));
        let first = body.frame().await.expect("a piece").expect("it came");
        assert_eq!(first.into_data().expect("bytes"), "ab");
        assert!(body.frame().await.expect("an end").expect_err("silence").is::<TooSlow>());
    }

    // rows: U15
    #[tokio::test]
    async fn what_is_read_whole_has_an_end() {
        let patience = Patience { piece: Duration::from_secs(3600), whole: Duration::ZERO };
        let (_, whole) = patience.with(banyan_web::empty());
        let read = whole.whole(std::future::pending::<Result<(), _>>()).await;
        assert!(matches!(read, Err(StorageError::RequestTimeout)));
    }

    // rows: U15
    #[tokio::test]
    async fn what_is_read_whole_is_waited_for_as_long_as_enough_comes() {
        let patience = Patience { piece: Duration::from_secs(3600), whole: Duration::ZERO };
        for (size, is_read) in [(8 * 1024 - 1, false), (8 * 1024, true)] {
            let piece = stream::once(async move { Ok(Frame::data(Bytes::from(vec![0; size]))) });
            // The end does not come with the bytes, and to who has earned no time it never comes.
            let end = stream::once(async move {
                if !is_read {
                    std::future::pending::<()>().await;
                }
                tokio::task::yield_now().await;
                Ok(Frame::data(Bytes::new()))
            });
            let (body, whole) = patience.with(StreamBody::new(piece.chain(end)).boxed_unsync());
            let read = whole.whole(async { body.collect().await.map_err(|_| StorageError::Aborted) }).await;
            assert_eq!(read.is_ok(), is_read, "{size}");
            assert!(is_read || matches!(read, Err(StorageError::RequestTimeout)));
        }
    }

    // rows: U15
    #[tokio::test]
    async fn a_client_earns_time_by_what_it_sends() {
        for (size, waited, seconds) in
            [(0, 0, 60), (1, 59, 1), (2, 60, 0), (30 * 1024, 60, 30), (1 << 30, 3600, 60), (0, 90, 0)]
        {
            assert_eq!(waiting(size, waited).longest_wait(), Duration::from_secs(seconds), "{size} {waited}");
        }
    }
}
