//! Which channels speak for a session or a user, so that they end with it (CONTRACT.md A11).

/// What the database tells of the end of sessions.
mod ended;

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use banyan_identity::Caller;
use uuid::Uuid;

pub(crate) use self::ended::follow;
use crate::channel_sender::ChannelSender;

/// What a channel is told whose session has ended (CONTRACT.md A11).
const MESSAGE: &str = "The session has ended";

/// Whom a channel speaks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Holder {
    /// Claim `session_id`.
    Session(Uuid),
    /// Claim `sub`.
    User(Uuid),
}

/// The channels of every session and every user on this node.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    last_id: AtomicU64,
    channels: Mutex<HashMap<Holder, Vec<(u64, ChannelSender)>>>,
}

impl Sessions {
    /// Notes that a channel speaks for a caller, until it is dropped.
    pub(crate) fn note(self: &Arc<Self>, caller: &Caller, channel: &ChannelSender) -> SessionNote {
        let id = self.last_id.fetch_add(1, Ordering::Relaxed);
        let session: Option<Uuid> = caller.claims().text("session_id").and_then(|id| id.parse().ok());
        let holders = [session.map(Holder::Session), caller.claims().subject().map(Holder::User)];
        let mut all = self.lock();
        for holder in holders.into_iter().flatten() {
            all.entry(holder).or_default().push((id, channel.clone()));
        }
        drop(all);
        SessionNote { sessions: Arc::clone(self), holders, id }
    }

    /// Ends the channels of a session or of a user that has ended.
    fn end(&self, ended: Holder) {
        self.lock().get(&ended).into_iter().flatten().for_each(|(_, channel)| channel.end(MESSAGE));
    }

    /// All whom channels speak for.
    fn holders(&self) -> Vec<Holder> {
        self.lock().keys().copied().collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Holder, Vec<(u64, ChannelSender)>>> {
        self.channels.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A channel that speaks for a caller. Dropped, it no longer does.
#[derive(Debug)]
pub(crate) struct SessionNote {
    sessions: Arc<Sessions>,
    holders: [Option<Holder>; 2],
    id: u64,
}

impl Drop for SessionNote {
    fn drop(&mut self) {
        let mut all = self.sessions.lock();
        for holder in self.holders.into_iter().flatten() {
            let Some(channels) = all.get_mut(&holder) else { continue };
            channels.retain(|(id, _)| *id != self.id);
            if channels.is_empty() {
                all.remove(&holder);
            }
        }
    }
}
