//! Counts the bytes of a request's body and of its answer.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll, ready},
};

use banyan_web::{Body, BoxError};
use bytes::Bytes;
use http::{Request, Response};
use http_body::{Body as HttpBody, Frame, SizeHint};
use http_body_util::BodyExt;

/// Bytes of the bodies of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Transferred {
    /// Read of the request's body.
    pub(crate) received: u64,
    /// Handed to the connection of the answer's body.
    pub(crate) sent: u64,
}

/// The bytes that were read of a request so far.
#[derive(Debug, Default, Clone)]
pub(crate) struct Received(Arc<AtomicU64>);

impl Received {
    /// The request, whose bytes are counted as they are read.
    pub(crate) fn count(&self, request: Request<Body>) -> Request<Body> {
        if request.body().is_end_stream() {
            return request;
        }
        let received = self.clone();
        request.map(|body| {
            let counted = move |bytes| {
                received.0.fetch_add(bytes, Ordering::Relaxed);
            };
            Counted { body, counted, ended: None::<fn()> }.boxed_unsync()
        })
    }

    /// The answer. `ended` is called once, when its last byte has left or its reader has gone.
    pub(crate) fn until_sent(
        self,
        answer: Response<Body>,
        ended: impl FnOnce(Transferred) + Send + Unpin + 'static,
    ) -> Response<Body> {
        let sent = Arc::new(AtomicU64::new(0));
        let so_far = Arc::clone(&sent);
        answer.map(|body| {
            let counted = move |bytes| {
                so_far.fetch_add(bytes, Ordering::Relaxed);
            };
            let ended: Box<dyn FnOnce() + Send> = Box::new(move || {
                let (received, sent) = (self.0.load(Ordering::Relaxed), sent.load(Ordering::Relaxed));
                ended(Transferred { received, sent });
            });
            Counted { body, counted, ended: Some(ended) }.boxed_unsync()
        })
    }
}

/// A body that tells of each piece of it, and of its end.
struct Counted<C, E: FnOnce()> {
    body: Body,
    counted: C,
    ended: Option<E>,
}

impl<C: FnMut(u64) + Unpin, E: FnOnce() + Unpin> HttpBody for Counted<C, E> {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        if let Some(Ok(frame)) = &frame {
            (self.counted)(frame.data_ref().map_or(0, |data| data.len() as u64));
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

impl<C, E: FnOnce()> Drop for Counted<C, E> {
    fn drop(&mut self) {
        if let Some(ended) = self.ended.take() {
            ended();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use banyan_web::full;

    use super::*;

    /// What was told of a request of five bytes and an answer of three, of which the reader took as
    /// many pieces.
    async fn told(pieces: usize) -> Option<Transferred> {
        let told = Arc::new(Mutex::new(None));
        let received = Received::default();
        let request = received.count(Request::new(full("12345")));
        let _ = request.into_body().collect().await;
        let tell = Arc::clone(&told);
        let answer = Response::new(full("123"));
        let mut body =
            received.until_sent(answer, move |bytes| *tell.lock().unwrap() = Some(bytes)).into_body();
        assert_eq!(body.size_hint().exact(), Some(3), "the length stays known");
        for _ in 0..pieces {
            body.frame().await.expect("a piece").expect("whole");
        }
        assert_eq!(*told.lock().unwrap(), None, "not before its end");
        drop(body);
        *told.lock().unwrap()
    }

    // rows: GW-LOG
    #[tokio::test]
    async fn bytes_are_counted_to_the_end_of_an_answer_or_until_its_reader_goes() {
        assert_eq!(told(1).await, Some(Transferred { received: 5, sent: 3 }));
        assert_eq!(told(0).await, Some(Transferred { received: 5, sent: 0 }));
    }
}
