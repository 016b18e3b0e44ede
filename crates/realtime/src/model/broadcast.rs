use bytes::Bytes;
use uuid::Uuid;

use super::Topic;

/// A message for the members of a topic, as it goes through the hub and between nodes.
#[derive(Debug, Clone)]
pub(crate) struct Broadcast {
    pub(crate) topic: Topic,
    /// The id of its row in `realtime.messages`. A channel that has replayed it does not receive it
    /// again (CONTRACT.md B8).
    pub(crate) id: Option<Uuid>,
    pub(crate) content: Content,
}

/// What members receive (CONTRACT.md S4, S6).
#[derive(Debug, Clone)]
pub(crate) enum Content {
    /// The JSON object `{type, event, payload}` as it came: both versions receive it as text.
    Object(Bytes),
    /// An event with its payload: version 2 receives it as a frame of type 4.
    Event {
        event: String,
        payload: Payload,
        /// A JSON object, such as `{"id": …}`.
        meta: Option<Bytes>,
    },
}

impl Content {
    /// Bytes of what a user sent.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Object(object) => object.len(),
            Self::Event { payload, .. } => payload.len(),
        }
    }
}

/// What a user sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Payload {
    /// JSON text. Whether it is valid is unknown where it came in a binary frame.
    Json(Bytes),
    /// Bytes, which version 1 cannot receive.
    Binary(Bytes),
}

impl Payload {
    /// Size in bytes.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Json(bytes) | Self::Binary(bytes) => bytes.len(),
        }
    }
}
