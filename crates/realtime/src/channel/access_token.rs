use serde::Deserialize;

use super::{Channel, join::read_rights, rights, token_id};
use crate::{
    authorization::ReadRights, context::SocketContext, error::ChannelError, protocol::MessagePayload, tokens,
};

/// The payload of `access_token`.
#[derive(Deserialize)]
struct AccessToken {
    access_token: Option<String>,
}

impl Channel {
    /// Takes a newer token (CONTRACT.md T4, T5).
    ///
    /// # Errors
    /// Why the channel ends (CONTRACT.md T6).
    pub(super) async fn take_access_token(
        &mut self,
        socket: &SocketContext,
        payload: &MessagePayload,
    ) -> Result<(), ChannelError> {
        let MessagePayload::Json(payload) = payload else { return Ok(()) };
        let Ok(AccessToken { access_token: Some(token) }) = serde_json::from_slice(payload) else {
            return Ok(());
        };
        let id = token_id(&token);
        if token.starts_with("sb_") || id == self.token {
            return Ok(());
        }
        let now = socket.service.clock.now();
        self.caller = tokens::check((socket.check_token)(&token, now), Some(&token), now)?;
        self.token = id;
        (self.may_broadcast, self.may_track) = (None, None);
        self.ask_again(socket).await?;
        self.subscription.iter().for_each(|subscription| subscription.renew(&self.caller));
        self._session = socket.service.sessions.note(&self.caller, &self.sender);
        Ok(())
    }

    /// Asks the read policies again. A right that is lost ends the channel, one that is new counts.
    async fn ask_again(&mut self, socket: &SocketContext) -> Result<(), ChannelError> {
        let Some(before) = self.read_rights else { return Ok(()) };
        let with_presence = before.presence.is_some();
        let now = read_rights(socket, &self.caller, self.sender.topic(), with_presence).await?;
        if now.is_some_and(|now| lost(before, now)) {
            return Err(ChannelError::NoLongerAuthorized(self.topic_name().to_owned()));
        }
        self.read_rights = now;
        self.membership.set_rights(rights(now));
        Ok(())
    }
}

fn lost(before: ReadRights, now: ReadRights) -> bool {
    let presence = before.presence == Some(true) && now.presence != Some(true);
    (before.broadcast && !now.broadcast) || presence
}
