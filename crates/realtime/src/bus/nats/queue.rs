use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;
use tokio::sync::Notify;

use crate::bus::{Kind, Subject};

/// Bytes that may wait for the server.
const MOST: usize = 16 << 20;

/// A message on its way to other nodes.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) to: Subject,
    pub(super) kind: Kind,
    pub(super) bytes: Bytes,
}

/// Messages that wait for the server, bounded in bytes. A message for which there is no room is
/// dropped: delivery is at most once anyway, and presence is repaired by the next beat.
#[derive(Debug, Default)]
pub(super) struct SendQueue {
    waiting: Mutex<Waiting>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    messages: VecDeque<Message>,
    bytes: usize,
}

impl SendQueue {
    /// Queues a message. Returns whether there was room.
    pub(super) fn push(&self, message: Message) -> bool {
        let mut waiting = self.lock();
        let bytes = waiting.bytes + message.bytes.len();
        if bytes > MOST {
            return false;
        }
        waiting.bytes = bytes;
        waiting.messages.push_back(message);
        drop(waiting);
        self.changed.notify_one();
        true
    }

    /// The next message, once there is one. For one task alone.
    pub(super) async fn next(&self) -> Message {
        loop {
            if let Some(message) = self.take() {
                return message;
            }
            self.changed.notified().await;
        }
    }

    /// The next message, if one waits.
    pub(super) fn take(&self) -> Option<Message> {
        let mut waiting = self.lock();
        let message = waiting.messages.pop_front()?;
        waiting.bytes -= message.bytes.len();
        Some(message)
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(bytes: usize) -> Message {
        Message { to: Subject::All, kind: Kind::Beat, bytes: vec![0; bytes].into() }
    }

    // rows: X3
    #[tokio::test]
    async fn messages_for_other_nodes_wait_in_bounded_memory() {
        let queue = SendQueue::default();
        assert!(queue.push(message(MOST - 1)) && queue.push(message(1)));
        assert!(!queue.push(message(1)));
        assert_eq!(queue.next().await.bytes.len(), MOST - 1);
        assert!(queue.push(message(MOST - 1)));
        assert_eq!(queue.next().await.bytes.len(), 1);
    }
}
