//! The bytes of answers that wait for their readers.

use std::{
    collections::HashMap,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
};

use banyan_config::Network;
use banyan_identity::Peer;
use bytes::Bytes;
use http_body::{Frame, SizeHint};

use banyan_web::{Body, BoxError};

use crate::connections::network;

/// One client's unread answers have at most this part of those of all.
const PART_OF_ONE: usize = 4;

/// The bytes of answers that wait for their readers.
#[derive(Debug)]
pub(super) struct UnreadAnswers {
    pub(super) most: usize,
    /// Those whose address says nothing of who asks; none where no address has a share.
    proxies: Option<Vec<Network>>,
    waiting: Mutex<Waiting>,
}

#[derive(Debug, Default)]
pub(super) struct Waiting {
    all: usize,
    pub(super) by_client: HashMap<u128, usize>,
}

impl UnreadAnswers {
    pub(super) fn new(most: usize, proxies: Option<Vec<Network>>) -> Self {
        Self { most, proxies, waiting: Mutex::default() }
    }

    /// Who has a share of its own; none may take all there is.
    pub(super) fn client(&self, peer: &Peer) -> Option<u128> {
        network(peer, self.proxies.as_deref()?)
    }

    /// Whether another request of this client is taken.
    pub(super) fn is_open_to(&self, client: Option<u128>) -> bool {
        let waiting = self.waiting();
        waiting.all <= self.most && waiting.of(client) <= self.most / PART_OF_ONE
    }

    /// Counts an answer. A read is refused beyond the client's share, but for one that is larger by
    /// itself.
    pub(super) fn add(
        self: Arc<Self>,
        client: Option<u128>,
        bytes: usize,
        is_read: bool,
    ) -> Option<CountedAnswer> {
        let mut waiting = self.waiting();
        let before = waiting.of(client);
        if is_read && before > 0 && before.saturating_add(bytes) > self.most / PART_OF_ONE {
            return None;
        }
        waiting.all = waiting.all.saturating_add(bytes);
        if let Some(client) = client {
            waiting.by_client.insert(client, before.saturating_add(bytes));
        }
        drop(waiting);
        Some(CountedAnswer { unread: self, client, bytes })
    }

    pub(super) fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn of(&self, client: Option<u128>) -> usize {
        client.and_then(|client| self.by_client.get(&client)).copied().unwrap_or_default()
    }
}

/// What one answer counts for, given back when nobody keeps it any more.
pub(super) struct CountedAnswer {
    unread: Arc<UnreadAnswers>,
    client: Option<u128>,
    bytes: usize,
}

impl Drop for CountedAnswer {
    fn drop(&mut self) {
        let mut waiting = self.unread.waiting();
        waiting.all = waiting.all.saturating_sub(self.bytes);
        let Some(client) = self.client else { return };
        match waiting.of(Some(client)).saturating_sub(self.bytes) {
            0 => drop(waiting.by_client.remove(&client)),
            left => drop(waiting.by_client.insert(client, left)),
        }
    }
}

/// An answer of known size, counted for as long as it is kept.
pub(super) struct UnreadBody {
    pub(super) body: Body,
    pub(super) _counted: CountedAnswer,
}

impl http_body::Body for UnreadBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
