use std::time::Instant;

use bytes::Bytes;

use super::{Channel, join::read_rights, rights};
use crate::{
    authorization::Extension,
    context::SocketContext,
    error::ChannelError,
    presence::{BadCall, Call},
    protocol::MessagePayload,
};

impl Channel {
    /// Makes the channel a member of its topic, or ends that (CONTRACT.md R3, R4, R8).
    ///
    /// # Errors
    /// Why the channel ends (CONTRACT.md L12).
    pub(super) async fn presence(
        &mut self,
        socket: &SocketContext,
        reference: &str,
        payload: MessagePayload,
    ) -> Result<(), ChannelError> {
        let limits = &socket.service.limits.settings;
        let now = socket.service.clock.now();
        if !self.presence_calls.allows(limits.max_presence_calls, limits.presence_window, now) {
            return Err(ChannelError::TooManyPresenceCalls);
        }
        let is_ok = match read(&payload) {
            Ok(Call::Track(said)) => self.track(socket, said).await?,
            Ok(Call::Untrack) => {
                self.member = None;
                true
            }
            Ok(Call::Nothing) => true,
            Err(error) => return self.refuse_call(reference, &error),
        };
        self.sender.reply(reference, is_ok, "{}");
        Ok(())
    }

    /// Tells the client who is there, if the policies let it read (CONTRACT.md R1, R5, R9).
    ///
    /// # Errors
    /// [`ChannelError::TooManyPresenceMessages`].
    pub(super) fn send_presence_state(&self, socket: &SocketContext) -> Result<(), ChannelError> {
        if !rights(self.read_rights).presence {
            return Ok(());
        }
        count(socket)?;
        let (topic, version) = (self.sender.topic(), self.sender.version());
        socket.service.presence.send_state(topic, version, |frame| self.sender.send(frame));
        Ok(())
    }

    /// Says something of the member. Returns whether the policies allow it.
    async fn track(&mut self, socket: &SocketContext, said: Bytes) -> Result<bool, ChannelError> {
        if !self.may_track(socket).await {
            return Ok(false);
        }
        if self.member.as_ref().is_some_and(|member| member.says(&said)) {
            return Ok(true);
        }
        if said.len() > socket.service.limits.settings.max_payload {
            return Err(ChannelError::TrackTooLarge);
        }
        count(socket)?;
        let member = self.member.get_or_insert_with(|| {
            let key = self.presence_key.clone().unwrap_or_else(|| socket.service.new_id().to_string().into());
            socket.service.presence.member(self.sender.topic(), key)
        });
        member.track(said);
        Ok(true)
    }

    /// Whether the policies allow it. They are asked once for a token (CONTRACT.md R9).
    async fn may_track(&mut self, socket: &SocketContext) -> bool {
        if !self.sender.topic().is_private {
            return true;
        }
        if let Some(known) = self.may_track {
            return known;
        }
        match self.ask_for_presence(socket).await {
            Ok(answer) => {
                self.may_track = Some(answer);
                answer
            }
            Err(error) => {
                let reason = error.reason();
                tracing::warn!(topic = self.topic_name(), reason, "realtime: UnableToHandlePresence");
                false
            }
        }
    }

    /// Asks the write policies, and the read policies where the join did not.
    async fn ask_for_presence(&mut self, socket: &SocketContext) -> Result<bool, ChannelError> {
        if self.read_rights.is_some_and(|read| read.presence.is_none()) {
            self.read_rights = read_rights(socket, &self.caller, self.sender.topic(), true).await?;
            self.membership.set_rights(rights(self.read_rights));
        }
        let answer = socket.service.authorization.write(self.asking(socket), Extension::Presence).await;
        answer.map_err(ChannelError::Policies)
    }

    fn refuse_call(&self, reference: &str, error: &BadCall) -> Result<(), ChannelError> {
        tracing::info!(topic = self.topic_name(), %error, "realtime: {}", error.code());
        let response = error.reason().map(|reason| serde_json::json!({ "reason": reason }).to_string());
        self.sender.reply(reference, false, response.as_deref().unwrap_or("{}"));
        Ok(())
    }
}

fn read(payload: &MessagePayload) -> Result<Call, BadCall> {
    match payload {
        MessagePayload::Json(payload) => Call::read(payload),
        _ => Err(BadCall::UnknownEvent),
    }
}

/// Counts a message of presence (CONTRACT.md LIM-PRESENCE).
fn count(socket: &SocketContext) -> Result<(), ChannelError> {
    let presence = &socket.service.limits.presence;
    if presence.is_exceeded(Instant::now()) {
        return Err(ChannelError::TooManyPresenceMessages);
    }
    presence.add(1);
    socket.service.metrics.channel_presence_events.add(1);
    Ok(())
}
