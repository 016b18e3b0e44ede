//! Frames that wait for one socket. They are bounded in bytes: a reader that is too slow is closed,
//! never waited for.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::Notify;

use crate::protocol::Frame;

/// Bytes that may wait for one socket.
const MOST: usize = 1 << 20;

/// Frames that wait for one socket. Cheap to clone; whoever has one can send.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outbox(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    /// Wakes the one task that writes.
    changed: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    frames: VecDeque<Frame>,
    bytes: usize,
    end: Option<End>,
}

/// Why nothing more is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The socket is gone.
    Gone,
    /// The client does not read.
    TooSlow,
    /// The server closes the socket, once what waits is sent, with this code.
    Closing(u16),
}

/// What the writer does next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Write these.
    Frames(Vec<Frame>),
    /// Nothing waits any more, and nothing will.
    End(End),
}

impl Outbox {
    /// Queues a frame. A socket that is closed, or whose client does not read, takes nothing more.
    pub(crate) fn push(&self, frame: Frame) {
        let mut waiting = self.lock();
        if waiting.end.is_some() {
            return;
        }
        waiting.bytes += frame.len();
        if waiting.bytes > MOST && !waiting.frames.is_empty() {
            waiting.frames.clear();
            waiting.end = Some(End::TooSlow);
        } else {
            waiting.frames.push_back(frame);
        }
        drop(waiting);
        self.0.changed.notify_one();
    }

    /// Takes nothing more. What waits is still sent, unless the socket is gone.
    pub(crate) fn end(&self, end: End) {
        let mut waiting = self.lock();
        waiting.end.get_or_insert(end);
        drop(waiting);
        self.0.changed.notify_one();
    }

    /// What to write, once there is something. For one task alone.
    pub(crate) async fn next(&self) -> Next {
        loop {
            if let Some(next) = self.take() {
                return next;
            }
            self.0.changed.notified().await;
        }
    }

    fn take(&self) -> Option<Next> {
        let mut waiting = self.lock();
        if waiting.frames.is_empty() {
            return waiting.end.map(Next::End);
        }
        waiting.bytes = 0;
        Some(Next::Frames(std::mem::take(&mut waiting.frames).into()))
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
