//! Bodies of outgoing calls.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt;
use tokio::runtime::Handle;
use wasmtime_wasi_http::{Error, WasiBody};

use crate::{http_mapping::idle_timeout::drain, outcome::InvocationOutcome};

/// A guest's body that ends in an error if the guest fails half-way (CONTRACT.md E03). If it is
/// dropped early, it is read to its end: otherwise the guest, still writing, would see a reset
/// connection instead of the real answer (CONTRACT.md pitfall 3).
pub(super) fn outgoing(body: WasiBody, outcome: &InvocationOutcome) -> WasiBody {
    if body.is_end_stream() {
        body
    } else {
        OutgoingBody { body: Some(body), outcome: outcome.clone() }.boxed_unsync()
    }
}

struct OutgoingBody {
    body: Option<WasiBody>,
    outcome: InvocationOutcome,
}

impl Drop for OutgoingBody {
    fn drop(&mut self) {
        if let (Some(body), Ok(runtime)) = (self.body.take(), Handle::try_current()) {
            runtime.spawn(drain(body));
        }
    }
}

impl Body for OutgoingBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let Some(body) = &mut self.body else { return Poll::Ready(None) };
        let frame = ready!(Pin::new(body).poll_frame(context));
        if !matches!(frame, Some(Ok(_))) {
            self.body = None;
        }
        if frame.is_none() && self.outcome.cut_the_body() {
            return Poll::Ready(Some(Err(Error::ConnectionTerminated)));
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or(SizeHint::with_exact(0), Body::size_hint)
    }
}
