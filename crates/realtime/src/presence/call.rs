use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;

/// What a client asks of presence (CONTRACT.md R3, R4).
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Call {
    /// Make the channel a member, with this JSON object.
    Track(Bytes),
    /// It is a member no longer.
    Untrack,
    /// A payload without an event asks nothing.
    Nothing,
}

/// A payload that asks nothing that there is (CONTRACT.md R8).
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadCall {
    /// What to track is no object.
    #[error("Presence track payload must be a map")]
    NotAnObject,
    /// The event has no meaning.
    #[error("unknown presence event")]
    UnknownEvent,
}

impl BadCall {
    /// The code of the log.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::NotAnObject => "InvalidPresencePayload",
            Self::UnknownEvent => "UnknownPresenceEvent",
        }
    }

    /// What the client reads; none if it is told nothing more than that it failed.
    pub(crate) fn reason(&self) -> Option<String> {
        matches!(self, Self::NotAnObject).then(|| self.to_string())
    }
}

#[derive(Deserialize)]
struct Raw<'a> {
    #[serde(borrow)]
    event: Option<&'a RawValue>,
    #[serde(borrow, default = "empty_object")]
    payload: &'a RawValue,
}

fn empty_object<'a>() -> &'a RawValue {
    serde_json::from_str("{}").expect("it is an object")
}

impl Call {
    /// Reads the payload of the event `presence`, which is a JSON object.
    ///
    /// # Errors
    /// [`BadCall`] as R8 says.
    pub(crate) fn read(payload: &[u8]) -> Result<Self, BadCall> {
        let Ok(Raw { event, payload }) = serde_json::from_slice(payload) else {
            return Err(BadCall::UnknownEvent);
        };
        let Some(event) = event else { return Ok(Self::Nothing) };
        let event: String = serde_json::from_str(event.get()).map_err(|_| BadCall::UnknownEvent)?;
        match event.to_ascii_lowercase().as_str() {
            "track" => object(payload.get()).map(Self::Track),
            "untrack" => Ok(Self::Untrack),
            _ => Err(BadCall::UnknownEvent),
        }
    }
}

fn object(json: &str) -> Result<Bytes, BadCall> {
    if json.starts_with('{') {
        Ok(Bytes::copy_from_slice(json.as_bytes()))
    } else {
        Err(BadCall::NotAnObject)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn track(json: &'static str) -> Result<Call, BadCall> {
        Ok(Call::Track(Bytes::from_static(json.as_bytes())))
    }

    // rows: R3 R4 R8
    #[test]
    fn calls_of_presence_are_read_by_their_event_in_any_case() {
        let read = |payload: &str| Call::read(payload.as_bytes());
        assert_eq!(read(r#"{"type":"presence","event":"track","payload":{"a": 1}}"#), track(r#"{"a": 1}"#));
        assert_eq!(read(r#"{"event":"TRACK"}"#), track("{}"));
        assert_eq!(read(r#"{"event":"Untrack","payload":7}"#), Ok(Call::Untrack));
        assert_eq!(read(r#"{"payload":{}}"#), Ok(Call::Nothing));
        for wrong in ["[]", "7", "null", "\"text\""] {
            let call = read(&format!(r#"{{"event":"track","payload":{wrong}}}"#));
            assert_eq!(call, Err(BadCall::NotAnObject), "{wrong}");
        }
        assert_eq!(read(r#"{"event":"dance"}"#), Err(BadCall::UnknownEvent));
        assert_eq!(read(r#"{"event":7}"#), Err(BadCall::UnknownEvent));
        let reason = BadCall::NotAnObject.reason();
        assert_eq!(reason.as_deref(), Some("Presence track payload must be a map"));
        assert_eq!(BadCall::UnknownEvent.reason(), None);
    }
}
