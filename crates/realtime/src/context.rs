//! What sockets work with: all of them, and one.

use std::{
    collections::HashMap,
    ops::Range,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use banyan_db::Database;
use banyan_identity::{Caller, Clock, Identified};
use banyan_web::Body;
use http::Request;
use rand::{RngCore, rngs::StdRng};
use time::OffsetDateTime;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use uuid::Uuid;

use crate::{
    authorization::Authorization,
    changes::Changes,
    hub::Hub,
    limits::Limits,
    metrics::Metrics,
    outbox::{Order, Outbox},
    patience::Patience,
    presence::Presence,
    protocol::Version,
    sessions::Sessions,
};

/// What every socket works with.
pub(crate) struct ServiceContext {
    pub(crate) clock: Clock,
    pub(crate) database: Database,
    pub(crate) hub: Arc<Hub>,
    pub(crate) changes: Changes,
    pub(crate) presence: Presence,
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) authorization: Authorization,
    pub(crate) limits: Arc<Limits>,
    pub(crate) metrics: Metrics,
    pub(crate) rng: Mutex<StdRng>,
    pub(crate) sockets: Arc<Sockets>,
    /// The tasks of the sockets.
    pub(crate) tasks: TaskTracker,
}

impl ServiceContext {
    /// A new random id.
    pub(crate) fn new_id(&self) -> Uuid {
        let mut bytes = [0; 16];
        self.rng.lock().unwrap_or_else(PoisonError::into_inner).fill_bytes(&mut bytes);
        uuid::Builder::from_random_bytes(bytes).into_uuid()
    }
}

/// Finds the caller anew by a token that a message brought. The key that the socket was opened with
/// still counts.
pub type TokenCheck = Arc<dyn Fn(&str, OffsetDateTime) -> Identified + Send + Sync>;

/// A request of `/realtime/v1`, with what a socket needs as long as it is open.
pub struct Opening {
    /// The path has no prefix.
    pub request: Request<Body>,
    /// Who asks.
    pub caller: Identified,
    /// For tokens of later messages.
    pub check_token: TokenCheck,
    /// Cancelled when the server begins to stop.
    pub stopping: CancellationToken,
    /// The time of the request.
    pub now: OffsetDateTime,
}

/// What the channels of one socket work with.
pub(crate) struct SocketContext {
    pub(crate) service: Arc<ServiceContext>,
    pub(crate) version: Version,
    pub(crate) outbox: Outbox,
    /// Who opened it. So are channels whose join brings no token.
    pub(crate) caller: Caller,
    pub(crate) check_token: TokenCheck,
    /// Headers that policies see, as JSON (CONTRACT.md C6).
    pub(crate) headers: Box<str>,
    pub(crate) patience: Patience,
    /// Cancelled when the server begins to stop.
    pub(crate) stopping: CancellationToken,
}

/// The sockets of this node.
#[derive(Debug, Default)]
pub(crate) struct Sockets(Mutex<Outboxes>);

#[derive(Debug, Default)]
struct Outboxes {
    last_id: u64,
    open: HashMap<u64, Outbox>,
}

impl Sockets {
    /// Notes a socket, until it is dropped.
    pub(crate) fn note(self: &Arc<Self>, outbox: &Outbox) -> OpenSocket {
        let mut outboxes = self.lock();
        outboxes.last_id += 1;
        let id = outboxes.last_id;
        outboxes.open.insert(id, outbox.clone());
        OpenSocket { sockets: Arc::clone(self), id }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.lock().open.len()
    }

    /// Tells all sockets of now to go, some at a time, so that their clients do not come back all
    /// at once.
    pub(crate) async fn disconnect(&self, patience: Patience) {
        let (mut after, last) = (0, self.lock().last_id);
        while let Some(told) = self.disconnect_some(after..last, patience.drained_at_a_time) {
            after = told;
            tokio::time::sleep(patience.drain_pause).await;
        }
    }

    /// Tells the first of those after `ids.start` and up to `ids.end` to go. Returns the last one
    /// that was told; none when there was none.
    fn disconnect_some(&self, ids: Range<u64>, most: usize) -> Option<u64> {
        let outboxes = self.lock();
        let is_next = |(id, _): &(&u64, _)| ids.start < **id && **id <= ids.end;
        let mut next: Vec<_> = outboxes.open.iter().filter(is_next).collect();
        next.sort_unstable_by_key(|(id, _)| **id);
        next.truncate(most);
        next.iter().for_each(|(_, outbox)| outbox.order(Order::Disconnect));
        next.last().map(|(id, _)| **id)
    }

    fn lock(&self) -> MutexGuard<'_, Outboxes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A socket that is open. Dropped, it is no longer.
#[derive(Debug)]
pub(crate) struct OpenSocket {
    sockets: Arc<Sockets>,
    id: u64,
}

impl Drop for OpenSocket {
    fn drop(&mut self) {
        self.sockets.lock().open.remove(&self.id);
    }
}
