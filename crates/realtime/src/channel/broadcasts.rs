use std::time::Instant;

use bytes::Bytes;

use super::Channel;
use crate::{
    authorization::Extension,
    context::SocketContext,
    error::ChannelError,
    model::{Broadcast, Content},
    protocol::MessagePayload,
};

/// A sender that reaches so many lets them write before it sends more. Without it, one that sends
/// without a pause would fill the outboxes of all others.
const MANY: usize = 32;

/// The answer to a payload that is too large (CONTRACT.md B4).
const TOO_LARGE: &str = r#"{"error":"payload_size_exceeded"}"#;

impl Channel {
    /// Sends a message to the other members of the topic (CONTRACT.md B1 to B5).
    ///
    /// # Errors
    /// [`ChannelError::TooManyMessages`].
    pub(super) async fn broadcast(
        &mut self,
        socket: &SocketContext,
        reference: &str,
        payload: MessagePayload,
    ) -> Result<(), ChannelError> {
        let Some((content, size)) = content(payload) else {
            tracing::warn!(topic = self.topic_name(), "realtime: a broadcast that is no object is dropped");
            return Ok(());
        };
        if !self.may_broadcast(socket).await {
            return Ok(());
        }
        let limits = &socket.service.limits;
        if limits.messages.is_exceeded(Instant::now()) {
            return Err(ChannelError::TooManyMessages);
        }
        let is_too_large = size > limits.settings.max_payload;
        let delivered = if is_too_large { 0 } else { self.send(socket, content) };
        limits.messages.add(1 + delivered);
        socket.service.metrics.channel_events.add(1 + delivered);
        if delivered >= MANY {
            tokio::task::yield_now().await;
        }
        match (self.config.is_acknowledged, is_too_large) {
            (false, _) => {}
            (true, false) => self.sender.reply(reference, true, "{}"),
            (true, true) => self.sender.reply(reference, false, TOO_LARGE),
        }
        Ok(())
    }

    fn send(&self, socket: &SocketContext, content: Content) -> usize {
        let broadcast = Broadcast { topic: self.sender.topic().clone(), id: None, content };
        let except = (!self.config.includes_self).then(|| self.membership.id());
        socket.service.hub.broadcast(&broadcast, except)
    }

    /// Whether the policies allow it, which are asked once for a token (CONTRACT.md A5).
    async fn may_broadcast(&mut self, socket: &SocketContext) -> bool {
        if !self.sender.topic().is_private {
            return true;
        }
        if let Some(known) = self.may_broadcast {
            return known;
        }
        let asked = socket.service.authorization.write(self.asking(socket), Extension::Broadcast);
        match Box::pin(asked).await {
            Ok(answer) => {
                self.may_broadcast = Some(answer);
                answer
            }
            Err(error) => {
                tracing::warn!(topic = self.topic_name(), %error, "realtime: UnableToHandleBroadcast");
                false
            }
        }
    }
}

/// What is sent, and the size of its payload; none for what is no object.
fn content(payload: MessagePayload) -> Option<(Content, usize)> {
    match payload {
        MessagePayload::Json(object) => is_object(&object).then(|| {
            let size = object.len();
            (Content::Object(object), size)
        }),
        MessagePayload::Broadcast { event, payload } => {
            let size = payload.len();
            Some((Content::Event { event, payload, meta: None }, size))
        }
        MessagePayload::Bytes(_) => None,
    }
}

fn is_object(json: &Bytes) -> bool {
    json.first() == Some(&b'{')
}
