//! Which channels speak for a session or a user, so that they end with it.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use banyan_identity::Caller;
use uuid::Uuid;

use crate::channel_sender::ChannelSender;

/// What a channel is told whose session has ended (CONTRACT.md L12).
const MESSAGE: &str = "The session has ended";

/// The end of a session, or of all sessions of a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// Claim `session_id`.
    Session(Uuid),
    /// Claim `sub`.
    User(Uuid),
}

/// The channels of every session and every user on this node.
#[derive(Debug, Default)]
pub(crate) struct Sessions(Mutex<HashMap<Uuid, Vec<(u64, ChannelSender)>>>, std::sync::atomic::AtomicU64);

impl Sessions {
    /// Notes that a channel speaks for a caller, until it is dropped.
    pub(crate) fn note(self: &Arc<Self>, caller: &Caller, channel: &ChannelSender) -> SessionNote {
        let id = self.1.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let session = caller.claims().text("session_id").and_then(|id| id.parse().ok());
        let keys = [session, caller.claims().subject()];
        let mut all = self.lock();
        for key in keys.into_iter().flatten() {
            all.entry(key).or_default().push((id, channel.clone()));
        }
        drop(all);
        SessionNote { sessions: Arc::clone(self), keys, id }
    }

    /// Ends the channels of what has ended.
    pub(crate) fn end(&self, ended: Ended) {
        let (Ended::Session(key) | Ended::User(key)) = ended;
        for (_, channel) in self.lock().get(&key).into_iter().flatten() {
            channel.end(MESSAGE);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Uuid, Vec<(u64, ChannelSender)>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A channel that speaks for a caller. Dropped, it no longer does.
#[derive(Debug)]
pub(crate) struct SessionNote {
    sessions: Arc<Sessions>,
    keys: [Option<Uuid>; 2],
    id: u64,
}

impl Drop for SessionNote {
    fn drop(&mut self) {
        let mut all = self.sessions.lock();
        for key in self.keys.into_iter().flatten() {
            let Some(channels) = all.get_mut(&key) else { continue };
            channels.retain(|(id, _)| *id != self.id);
            if channels.is_empty() {
                all.remove(&key);
            }
        }
    }
}
