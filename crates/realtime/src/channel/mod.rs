//! A channel: one topic that one socket has joined.

/// From a join to a channel.
mod join;

/// How large a join may be.
mod join_size;

/// A newer token of a channel.
mod access_token;

/// Messages of a client for the others.
mod broadcasts;

/// The client as a member of its topic.
mod presence;

/// The ids of the changes that a channel asks for.
mod change_ids;

/// What a client asks for when it joins.
mod join_payload;

use std::{borrow::Cow, sync::Arc, time::Duration};

use banyan_identity::Caller;
use serde_json::{Map, Value};
use time::OffsetDateTime;

pub(crate) use self::join::Join;
use self::join_payload::BroadcastConfig;
use crate::{
    authorization::{Asking, ReadRights},
    changes::Subscription,
    channel_sender::ChannelSender,
    context::SocketContext,
    error::ChannelError,
    hub::{Membership, Rights},
    outbox::ChannelId,
    presence::{CallLimit, PresenceMember},
    protocol::MessagePayload,
    sessions::SessionNote,
    tokens,
};

/// How often tokens are checked again that hold for longer.
pub(crate) const CHECK_TOKENS_EVERY: Duration = Duration::from_secs(300);

/// A topic that a socket has joined. Dropped, it has left.
pub(crate) struct Channel {
    sender: ChannelSender,
    config: BroadcastConfig,
    caller: Caller,
    token: TokenId,
    /// None on a public channel.
    read_rights: Option<ReadRights>,
    /// What the write policies said of broadcasts; none before they were asked.
    may_broadcast: Option<bool>,
    /// The same of presence.
    may_track: Option<bool>,
    /// None for a random one at the first `track` (CONTRACT.md R2).
    presence_key: Option<Arc<str>>,
    presence_calls: CallLimit,
    member: Option<PresenceMember>,
    membership: Membership,
    subscription: Option<Subscription>,
    _session: SessionNote,
}

/// By it a token is known again. None of a channel that has the socket's.
type TokenId = Option<[u8; 32]>;

/// A message for a channel.
pub(crate) struct ChannelMessage<'a> {
    /// JSON.
    pub(crate) reference: &'a str,
    pub(crate) event: &'a str,
    pub(crate) payload: MessagePayload,
}

impl Channel {
    /// Which channel of its socket it is.
    pub(crate) fn id(&self) -> ChannelId {
        self.sender.id()
    }

    /// The topic without its prefix.
    pub(crate) fn topic_name(&self) -> &str {
        &self.sender.topic().name
    }

    /// The way to its client.
    pub(crate) fn sender(&self) -> &ChannelSender {
        &self.sender
    }

    /// Handles a message.
    ///
    /// # Errors
    /// Why the channel ends (CONTRACT.md L12).
    pub(crate) async fn handle(
        &mut self,
        socket: &SocketContext,
        message: ChannelMessage<'_>,
    ) -> Result<(), ChannelError> {
        match message.event {
            "broadcast" => self.broadcast(socket, message.reference, message.payload).await,
            // Apart, so that a socket that waits for messages does not hold what a query takes.
            "access_token" => Box::pin(self.take_access_token(socket, &message.payload)).await,
            "presence" => Box::pin(self.presence(socket, message.reference, message.payload)).await,
            // CONTRACT.md L15
            _ => {
                socket.service.limits.messages.add(1);
                Ok(())
            }
        }
    }

    /// How long it is until its token has to be checked again.
    pub(crate) fn token_holds_for(&self, now: OffsetDateTime) -> Duration {
        let end = self.caller.expires_at();
        let left = end.map(|end| Duration::try_from(end - now).unwrap_or_default());
        left.unwrap_or(CHECK_TOKENS_EVERY).min(CHECK_TOKENS_EVERY)
    }

    /// Checks the token again (CONTRACT.md T7).
    ///
    /// # Errors
    /// [`ChannelError::Expired`] where it no longer holds.
    pub(crate) fn check_token(&self, now: OffsetDateTime) -> Result<(), ChannelError> {
        tokens::check_expiry(&self.caller, now)
    }

    /// Leaves, and tells the client so (CONTRACT.md L7, L8).
    pub(crate) fn close(self) {
        self.sender.close();
    }

    /// Leaves, and tells the client why (CONTRACT.md L12).
    pub(crate) fn end(self, message: Cow<'static, str>) {
        tracing::info!(topic = self.topic_name(), %message, "realtime: ChannelShutdown");
        self.sender.system("system", false, &message);
        self.close();
    }

    /// Hears of row changes, and of broadcasts from the database, from now on.
    fn follow_log(&mut self, socket: &SocketContext, wanted: &[Map<String, Value>], waits_for_log: bool) {
        let changes = &socket.service.changes;
        changes.start_log();
        if waits_for_log {
            changes.announce_log(&self.sender);
        }
        self.subscription = changes.subscribe(&self.caller, wanted, &self.sender);
    }

    /// Who asks a policy.
    fn asking<'a>(&'a self, socket: &'a SocketContext) -> Asking<'a> {
        Asking { caller: &self.caller, topic: self.sender.topic(), headers: &socket.headers }
    }
}

/// What a member may receive by what its policies say (CONTRACT.md B6, R9).
fn rights(read: Option<ReadRights>) -> Rights {
    read.map_or(Rights::ALL, |read| Rights {
        broadcasts: read.broadcast,
        presence: read.presence.unwrap_or_default(),
    })
}

fn token_id(token: &str) -> TokenId {
    let digest = ring::digest::digest(&ring::digest::SHA256, token.as_bytes());
    digest.as_ref().try_into().ok()
}
