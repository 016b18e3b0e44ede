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
    presence::CallLimit,
    protocol,
    replay::{BadParams, Replay, Replayed},
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
        self.check_size()?;
        let asked = JoinPayload::read(self.payload);
        if !asked.problems.is_empty() {
            tracing::warn!(topic = self.topic, fields = ?asked.problems, "realtime: InvalidJoinPayload");
        }
        asked.check_size()?;
        self.check_limits(socket, &asked)?;
        let (caller, token) = caller(socket, asked.token.as_deref())?;
        let topic = Topic { name: self.topic.into(), is_private: asked.is_private };
        let read_rights = read_rights(socket, &caller, &topic, asked.presence.is_enabled).await?;
        let replayed = replayed(socket, &asked, read_rights, &topic).await?;

        let sender =
            ChannelSender::new(topic, socket.version, self.join_ref, (self.id, socket.outbox.clone()));
        // The reply is the first that a client hears of its channel.
        sender.reply(self.reference, true, &change_ids::echo(&asked.changes));
        replayed.iter().for_each(|message| replay(&sender, message));
        let member = Member {
            version: socket.version,
            outbox: socket.outbox.clone(),
            rights: rights(read_rights),
            replayed: replayed.iter().map(|message| message.id).collect(),
        };
        let is_present = asked.presence.is_enabled;
        let waits_for_log = asked.broadcast.replication_ready;
        let mut channel = Channel {
            membership: socket.service.hub.join(sender.topic(), member),
            subscription: None,
            _session: socket.service.sessions.note(&caller, &sender),
            config: asked.broadcast,
            may_broadcast: None,
            may_track: None,
            presence_key: asked.presence.key.map(Into::into),
            presence_calls: CallLimit::default(),
            member: None,
            sender,
            caller,
            token,
            read_rights,
        };
        if is_present && let Err(error) = channel.send_presence_state(socket) {
            channel.sender.end(error.text());
        }
        channel.follow_log(socket, &asked.changes, waits_for_log);
        Ok(channel)
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

/// The broadcasts that are asked for again (CONTRACT.md B8, B9).
async fn replayed(
    socket: &SocketContext,
    asked: &JoinPayload,
    read: Option<ReadRights>,
    topic: &Topic,
) -> Result<Vec<Replayed>, ChannelError> {
    let Some(params) = &asked.broadcast.replay else { return Ok(Vec::new()) };
    match read {
        None => return Err(ChannelError::Replay(ReplayError::PublicChannel)),
        Some(read) if !read.broadcast => return Err(ChannelError::Unauthorized(topic.name.to_string())),
        Some(_) => {}
    }
    let replay = Replay::read(params).map_err(|BadParams| ChannelError::Replay(ReplayError::Params))?;
    let Some(replay) = replay else { return Ok(Vec::new()) };
    replay.messages(&socket.service.database, &topic.name).await.map_err(|error| {
        tracing::warn!(%error, topic = &*topic.name, "realtime: UnableToReplayMessages");
        ChannelError::Replay(ReplayError::Query)
    })
}

/// Sends a message of before. Bytes do not reach version 1.
fn replay(sender: &ChannelSender, message: &Replayed) {
    let broadcast = message.broadcast(sender.topic());
    if let Some(frame) = protocol::broadcast(sender.version(), &broadcast) {
        sender.send(frame);
    }
}
