//! What waits for one socket: frames to write, and orders to obey. Frames are bounded in bytes: a
//! reader that is too slow is closed, never waited for.

use std::{
    borrow::Cow,
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use crate::protocol::Frame;

/// Places for frames that an idle socket keeps.
const KEPT: usize = 8;

/// What waits for one socket. Cheap to clone; whoever has one can send.
#[derive(Debug, Clone)]
pub(crate) struct Outbox(Arc<Mutex<Waiting>>);

#[derive(Debug, Default)]
struct Waiting {
    frames: VecDeque<Frame>,
    bytes: usize,
    most_bytes: usize,
    orders: VecDeque<Order>,
    end: Option<End>,
    /// Wakes the task of the socket. Gone once it was used, so that one wake serves many frames.
    task: Option<Waker>,
}

/// A channel of a socket. Another join of the same topic makes another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChannelId(pub(crate) u32);

/// What the task of a socket is told to do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// End a channel with a message (CONTRACT.md L12).
    EndChannel(ChannelId, Cow<'static, str>),
    /// Tell all channels to go, and close the socket (CONTRACT.md L13).
    Disconnect,
}

/// Why nothing more is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The client is gone, or has closed the socket.
    Gone,
    /// The client does not read.
    TooSlow,
    /// The server closes the socket, once what waits is sent, with this code.
    Closing(u16),
}

impl Outbox {
    /// An outbox for so many bytes (CONTRACT.md LIM-OUTBOX).
    pub(crate) fn new(most_bytes: usize) -> Self {
        Self(Arc::new(Mutex::new(Waiting { most_bytes, ..Waiting::default() })))
    }

    /// Queues a frame. A socket that is closed, or whose client does not read, takes nothing more.
    pub(crate) fn push(&self, frame: Frame) {
        let mut waiting = self.lock();
        if waiting.end.is_some() {
            return;
        }
        waiting.bytes += frame.len();
        if waiting.bytes > waiting.most_bytes && !waiting.frames.is_empty() {
            waiting.frames = VecDeque::new();
            waiting.end = Some(End::TooSlow);
        } else {
            waiting.frames.push_back(frame);
        }
        wake(waiting);
    }

    /// Tells the task of the socket to do something.
    pub(crate) fn order(&self, order: Order) {
        let mut waiting = self.lock();
        waiting.orders.push_back(order);
        wake(waiting);
    }

    /// Takes nothing more. What waits is still sent.
    pub(crate) fn end(&self, end: End) {
        let mut waiting = self.lock();
        waiting.end.get_or_insert(end);
        wake(waiting);
    }

    /// Moves what waits into an empty `batch`, or says why nothing more will come. For the task of
    /// the socket alone.
    pub(crate) fn poll_frames(&self, cx: &Context<'_>, batch: &mut VecDeque<Frame>) -> Poll<Option<End>> {
        let mut waiting = self.lock();
        if waiting.frames.is_empty() {
            if waiting.end.is_some() {
                return Poll::Ready(waiting.end);
            }
            batch.shrink_to(KEPT);
            return waiting.pending(cx);
        }
        waiting.bytes = 0;
        std::mem::swap(&mut waiting.frames, batch);
        Poll::Ready(None)
    }

    /// Ready as soon as the client is too slow. For the task of the socket alone.
    pub(crate) fn poll_too_slow(&self, cx: &Context<'_>) -> Poll<()> {
        let mut waiting = self.lock();
        if waiting.end == Some(End::TooSlow) { Poll::Ready(()) } else { waiting.pending(cx) }
    }

    /// What to do next. For the task of the socket alone.
    pub(crate) fn poll_order(&self, cx: &Context<'_>) -> Poll<Order> {
        let mut waiting = self.lock();
        match waiting.orders.pop_front() {
            Some(order) => Poll::Ready(order),
            None => waiting.pending(cx),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn pending<T>(&mut self, cx: &Context<'_>) -> Poll<T> {
        if !self.task.as_ref().is_some_and(|task| task.will_wake(cx.waker())) {
            self.task = Some(cx.waker().clone());
        }
        Poll::Pending
    }
}

fn wake(mut waiting: MutexGuard<'_, Waiting>) {
    let task = waiting.task.take();
    drop(waiting);
    if let Some(task) = task {
        task.wake();
    }
}

#[cfg(test)]
mod tests {
    use std::task::Wake;

    use super::*;

    const MOST: usize = 1 << 10;

    struct Nobody;

    impl Wake for Nobody {
        fn wake(self: Arc<Self>) {}
    }

    fn frames(outbox: &Outbox) -> (Poll<Option<End>>, Vec<Frame>) {
        let waker = Waker::from(Arc::new(Nobody));
        let mut batch = VecDeque::new();
        let polled = outbox.poll_frames(&Context::from_waker(&waker), &mut batch);
        (polled, batch.into())
    }

    #[test]
    fn frames_come_in_order_and_then_the_end() {
        let outbox = Outbox::new(MOST);
        assert_eq!(frames(&outbox), (Poll::Pending, vec![]));
        let all = [Frame::text(&[b"a"]), Frame::text(&[b"b"])];
        all.iter().for_each(|frame| outbox.push(frame.clone()));
        outbox.end(End::Closing(1012));
        outbox.end(End::Gone);
        outbox.push(Frame::text(&[b"c"]));
        assert_eq!(frames(&outbox), (Poll::Ready(None), all.to_vec()));
        assert_eq!(frames(&outbox), (Poll::Ready(Some(End::Closing(1012))), vec![]));
    }

    // rows: LIM-OUTBOX
    #[test]
    fn a_reader_that_is_too_slow_loses_what_waits_and_gets_nothing_more() {
        let outbox = Outbox::new(MOST);
        let large = Frame::binary(&[&vec![0; 2 * MOST]]);
        outbox.push(large.clone());
        assert_eq!(frames(&outbox), (Poll::Ready(None), vec![large]), "one that is large is sent");
        let half = Frame::binary(&[&vec![0; MOST / 2]]);
        (0..3).for_each(|_| outbox.push(half.clone()));
        assert_eq!(frames(&outbox), (Poll::Ready(Some(End::TooSlow)), vec![]));
        outbox.push(half);
        assert_eq!(frames(&outbox), (Poll::Ready(Some(End::TooSlow)), vec![]));
    }
}
