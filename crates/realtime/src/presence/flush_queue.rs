use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
};

use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};

use crate::model::Topic;

/// Topics that have something to tell, each with the time when it is told. All wait for the same
/// time, so the first that came is the first that is due.
#[derive(Debug, Default)]
pub(super) struct FlushQueue {
    waiting: Mutex<VecDeque<(Instant, Topic)>>,
    changed: Notify,
}

impl FlushQueue {
    /// Queues topics.
    pub(super) fn push(&self, due: Instant, topics: Vec<Topic>) {
        if !topics.is_empty() {
            self.lock().extend(topics.into_iter().map(|topic| (due, topic)));
            self.changed.notify_one();
        }
    }

    /// The next topic, once it is due. For one task alone.
    pub(super) async fn next(&self) -> Topic {
        loop {
            let first = self.lock().front().map(|(due, _)| *due);
            match first {
                None => self.changed.notified().await,
                Some(due) => {
                    sleep_until(due).await;
                    if let Some((_, topic)) = self.lock().pop_front() {
                        return topic;
                    }
                }
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(Instant, Topic)>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
