use std::time::Instant;

use banyan_identity::Caller;

use super::{Channel, TokenId, change_ids, join_payload::JoinPayload, rights, token_id};
use crate::{
    authorization::{Asking, ReadRights},
    channel_sender::ChannelSender,
    context::SocketContext,
    error::{ChannelError, ReplayError},
    hub::Member,
    model::Topic,
    outbox::ChannelId,
    tokens,
};

/// A join, as a client asks for it.
pub(crate) struct Join<'a> {
    /// The topic without its prefix.
    pub(crate) topic: &'a str,
    /// JSON.
    pub(crate) join_ref: &'a str,
    /// JSON.
    pub(crate) reference: &'a str,
    /// JSON.
    pub(crate) payload: &'a [u8],
    /// What the channel will be called.
    pub(crate) id: ChannelId,
    /// How many channels the socket has.
    pub(crate) channels: usize,
}

impl Join<'_> {
    /// Joins, and answers. What is refused is answered by whoever asked for it.
    ///
    /// # Errors
    /// Why the join is refused (CONTRACT.md L5).
    pub(crate) async fn run(self, socket: &SocketContext) -> Result<Channel, ChannelError> {
        let asked = JoinPayload::read(self.payload);
        if !asked.problems.is_empty() {
            tracing::warn!(topic = self.topic, fields = ?asked.problems, "realtime: InvalidJoinPayload");
        }
        self.check_limits(socket, &asked)?;
        let (caller, token) = caller(socket, asked.token.as_deref())?;
        let topic = Topic { name: self.topic.into(), is_private: asked.is_private };
        let read_rights = read_rights(socket, &caller, &topic, asked.presence.is_enabled).await?;
        check_replay(&asked, read_rights, &topic)?;

        let sender =
            ChannelSender::new(topic, socket.version, self.join_ref, (self.id, socket.outbox.clone()));
        // The reply is the first that a client hears of its channel.
        sender.reply(self.reference, true, &change_ids::echo(&asked.changes));
        let changes = &socket.service.changes;
        changes.start_log();
        if asked.broadcast.replication_ready {
            changes.announce_log(&sender);
        }
        let member = Member {
            version: socket.version,
            outbox: socket.outbox.clone(),
            rights: rights(read_rights),
            replayed: Box::default(),
        };
        Ok(Channel {
            membership: socket.service.hub.join(sender.topic(), member),
            subscription: changes.subscribe(&caller, &asked.changes, &sender),
            _session: socket.service.sessions.note(&caller, &sender),
            config: asked.broadcast,
            may_broadcast: None,
            sender,
            caller,
            token,
            read_rights,
        })
    }

    fn check_limits(&self, socket: &SocketContext, asked: &JoinPayload) -> Result<(), ChannelError> {
        let limits = &socket.service.limits;
        if self.topic.is_empty() {
            return Err(ChannelError::TopicNameRequired);
        }
        if socket.stopping.is_cancelled() {
            return Err(ChannelError::Restarting);
        }
        if limits.settings.private_only && !asked.is_private {
            return Err(ChannelError::PrivateOnly);
        }
        if limits.joins.is_exceeded(Instant::now()) {
            return Err(ChannelError::TooManyJoins);
        }
        limits.joins.add(1);
        if self.channels >= limits.settings.max_channels_per_connection {
            return Err(ChannelError::TooManyChannels);
        }
        Ok(())
    }
}

/// Whose channel it is: the token's, else the socket's (CONTRACT.md T1).
fn caller(socket: &SocketContext, token: Option<&str>) -> Result<(Caller, TokenId), ChannelError> {
    let now = socket.service.clock.now();
    match token {
        None => {
            tokens::check_expiry(&socket.caller, now)?;
            Ok((socket.caller.clone(), None))
        }
        Some(token) => {
            let caller = tokens::check((socket.check_token)(token, now), Some(token), now)?;
            Ok((caller, token_id(token)))
        }
    }
}

/// What the policies let a caller read; none of a public topic, which asks no policy (CONTRACT.md
/// A3, A4).
///
/// # Errors
/// [`ChannelError::Unauthorized`] where it is nothing.
pub(super) async fn read_rights(
    socket: &SocketContext,
    caller: &Caller,
    topic: &Topic,
    with_presence: bool,
) -> Result<Option<ReadRights>, ChannelError> {
    if !topic.is_private {
        return Ok(None);
    }
    let asking = Asking { caller, topic, headers: &socket.headers };
    let rights = socket.service.authorization.read(asking, with_presence).await;
    let rights = rights.map_err(ChannelError::Policies)?;
    if rights.broadcast || rights.presence == Some(true) {
        return Ok(Some(rights));
    }
    Err(ChannelError::Unauthorized(topic.name.to_string()))
}

/// Whether broadcasts may be replayed, where they are asked for (CONTRACT.md B9).
fn check_replay(asked: &JoinPayload, read: Option<ReadRights>, topic: &Topic) -> Result<(), ChannelError> {
    match read {
        _ if asked.broadcast.replay.is_none() => Ok(()),
        None => Err(ChannelError::Replay(ReplayError::PublicChannel)),
        Some(read) if read.broadcast => Ok(()),
        Some(_) => Err(ChannelError::Unauthorized(topic.name.to_string())),
    }
}
