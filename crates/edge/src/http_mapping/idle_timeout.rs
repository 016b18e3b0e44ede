//! Bodies that end in an error if their next piece takes too long.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt;
use tokio::time::{Sleep, sleep, timeout};
use wasmtime_wasi_http::WasiBody;

/// Longest time that a body without a reader is read to its end.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(5);

/// A body that ends in an error once its reader has waited too long for the next piece. The time
/// runs only while somebody waits, so a slow reader is no problem.
pub(crate) struct IdleTimeoutBody<B, F> {
    body: B,
    longest: Duration,
    on_timeout: F,
    /// Runs since the reader began to wait for the next piece.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<B, F> IdleTimeoutBody<B, F> {
    /// `on_timeout` makes the error after a wait of `longest`.
    pub(crate) fn new(body: B, longest: Duration, on_timeout: F) -> Self {
        Self { body, longest, on_timeout, waiting: None }
    }
}

impl<B, F> Body for IdleTimeoutBody<B, F>
where
    B: Body<Data = Bytes> + Unpin,
    F: Fn() -> B::Error + Unpin,
{
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            self.waiting = None;
            return Poll::Ready(frame);
        }
        let longest = self.longest;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(longest)));
        ready!(waiting.as_mut().poll(context));
        Poll::Ready(Some(Err((self.on_timeout)())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Reads a body to its end, for at most 5 s.
pub(crate) async fn drain(mut body: WasiBody) {
    let read = async { while let Some(Ok(_)) = body.frame().await {} };
    // A guest that writes for longer than this is told that its body is refused, which is then
    // true.
    let _ = timeout(DRAIN_TIMEOUT, read).await;
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use http_body_util::{BodyExt, StreamBody};
    use tokio::sync::mpsc;

    use super::*;

    const LONGEST: Duration = Duration::from_millis(400);

    #[tokio::test]
    async fn the_time_begins_anew_with_each_piece_and_runs_only_while_somebody_waits() {
        let (sender, mut receiver) = mpsc::unbounded_channel::<&'static [u8]>();
        let pieces = futures_util::stream::poll_fn(move |context| {
            receiver.poll_recv(context).map(|piece| Some(Ok(Frame::data(Bytes::from_static(piece?)))))
        });
        let mut body = IdleTimeoutBody::new(StreamBody::new(pieces), LONGEST, || "given up");
        // Nobody waits yet.
        sleep(LONGEST + LONGEST / 4).await;
        for _ in 0..3 {
            assert!(body.frame().now_or_never().is_none(), "given up too early");
            sleep(LONGEST / 2).await;
            sender.send(b"piece").expect("the body listens");
            body.frame().now_or_never().expect("has come").expect("goes on").expect("in time");
        }
        assert_eq!(body.frame().await.expect("given up").unwrap_err(), "given up");
    }
}
