//! The way to one channel, for whatever has something to send to it.

use std::{borrow::Cow, sync::Arc};

use serde_json::json;

use crate::{
    model::Topic,
    outbox::{ChannelId, Order, Outbox},
    protocol::{self, Frame, NO_REF, Refs, Version},
};

/// Sends to one channel of one socket. Cheap to clone. What is sent to a channel that has ended is
/// lost, or ignored by its client.
#[derive(Debug, Clone)]
pub(crate) struct ChannelSender(Arc<Way>);

#[derive(Debug)]
struct Way {
    topic: Topic,
    version: Version,
    /// JSON.
    join_ref: Box<str>,
    id: ChannelId,
    outbox: Outbox,
}

impl ChannelSender {
    /// The way to a channel that was joined by `join_ref`, which is JSON.
    pub(crate) fn new(
        topic: Topic,
        version: Version,
        join_ref: &str,
        (id, outbox): (ChannelId, Outbox),
    ) -> Self {
        Self(Arc::new(Way { topic, version, join_ref: join_ref.into(), id, outbox }))
    }

    /// The topic of the channel.
    pub(crate) fn topic(&self) -> &Topic {
        &self.0.topic
    }

    /// How its socket speaks.
    pub(crate) fn version(&self) -> Version {
        self.0.version
    }

    /// Which channel of its socket it is.
    pub(crate) fn id(&self) -> ChannelId {
        self.0.id
    }

    /// Sends a frame that was encoded for many.
    pub(crate) fn send(&self, frame: Frame) {
        self.0.outbox.push(frame);
    }

    /// Sends an event. `payload` is a JSON object.
    pub(crate) fn push(&self, event: &str, payload: &[u8]) {
        self.message(NO_REF, event, payload);
    }

    /// Answers a message. `reference` and `response` are JSON (CONTRACT.md L3, L5).
    pub(crate) fn reply(&self, reference: &str, is_ok: bool, response: &str) {
        let status = if is_ok { "ok" } else { "error" };
        let payload = format!("{{\"status\":\"{status}\",\"response\":{response}}}");
        self.message(reference, "phx_reply", payload.as_bytes());
    }

    /// Tells the client of the state of an extension (CONTRACT.md L11).
    pub(crate) fn system(&self, extension: &str, is_ok: bool, message: &str) {
        let payload = json!({
            "extension": extension,
            "status": if is_ok { "ok" } else { "error" },
            "message": message,
            "channel": &*self.0.topic.name,
        });
        self.push("system", payload.to_string().as_bytes());
    }

    /// Ends the channel at the client (CONTRACT.md L9).
    pub(crate) fn close(&self) {
        self.message(&self.0.join_ref, "phx_close", b"{}");
    }

    /// Has the socket end the channel, with a message (CONTRACT.md L12).
    pub(crate) fn end(&self, message: impl Into<Cow<'static, str>>) {
        self.0.outbox.order(Order::EndChannel(self.0.id, message.into()));
    }

    fn message(&self, reference: &str, event: &str, payload: &[u8]) {
        let refs = Refs { join_ref: &self.0.join_ref, reference };
        let topic = self.0.topic.on_the_wire();
        self.send(protocol::message(self.0.version, refs, &topic, event, payload));
    }
}
