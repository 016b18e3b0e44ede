use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Map, Value, json, value::RawValue};

use super::refusal::Refusal;
use crate::model::{Broadcast, Content, Topic};

/// What is said of a field that is missing or empty.
const BLANK: &str = "can't be blank";
/// What is said of a field of another type.
const INVALID: &str = "is invalid";
/// What is said of a payload that is too large.
pub(super) const TOO_LARGE: &str = "Payload size exceeds tenant limit";

/// The body. Payloads pass as they came.
#[derive(Debug, Deserialize)]
struct Batch<'a> {
    #[serde(borrow, default)]
    messages: Option<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
struct Message<'a> {
    #[serde(default)]
    topic: Value,
    #[serde(default)]
    event: Value,
    #[serde(borrow, default)]
    payload: Option<&'a RawValue>,
    #[serde(default)]
    private: Value,
    #[serde(default)]
    id: Value,
}

/// The messages of a body. One bad message rejects all (CONTRACT.md H1, H3, H7).
pub(super) fn read(body: &Bytes, largest: usize) -> Result<Vec<Broadcast>, Refusal> {
    let batch: Batch<'_> = serde_json::from_slice(body).map_err(|_| Refusal::NoJson)?;
    let messages = batch.messages.filter(|messages| !["null", "[]"].contains(&messages.get()));
    let messages = messages.ok_or_else(|| invalid(json!([BLANK])))?;
    let messages: Vec<Message<'_>> =
        serde_json::from_str(messages.get()).map_err(|_| invalid(json!([INVALID])))?;
    let checked: Vec<_> = messages.iter().map(|message| message.check(largest)).collect();
    if checked.iter().any(Result::is_err) {
        let errors = checked.into_iter().map(|message| message.err().unwrap_or_default());
        return Err(invalid(errors.map(Value::Object).collect()));
    }
    Ok(checked.into_iter().flatten().collect())
}

fn invalid(of_messages: Value) -> Refusal {
    Refusal::Invalid(json!({ "messages": of_messages }))
}

impl Message<'_> {
    /// The message, or what is wrong by field.
    fn check(&self, largest: usize) -> Result<Broadcast, Map<String, Value>> {
        let mut errors = Map::new();
        let mut note = |field: &str, error: &str| drop(errors.insert(field.to_owned(), json!([error])));
        let text = |value: &Value| match value {
            Value::Null => Err(BLANK),
            Value::String(text) if text.trim().is_empty() => Err(BLANK),
            Value::String(text) => Ok(text.clone()),
            _ => Err(INVALID),
        };
        let topic = text(&self.topic).map_err(|error| note("topic", error));
        let event = text(&self.event).map_err(|error| note("event", error));
        let payload = self.payload(largest).map_err(|error| note("payload", error));
        let private = boolean(&self.private).ok_or(INVALID).map_err(|error| note("private", error));
        let id = match &self.id {
            Value::Null => Ok(None),
            Value::String(id) => Ok(Some(id.as_str())),
            _ => {
                note("id", INVALID);
                Err(())
            }
        };
        let (Ok(name), Ok(event), Ok(payload), Ok(is_private), Ok(id)) = (topic, event, payload, private, id)
        else {
            return Err(errors);
        };
        let topic = Topic { name: name.into(), is_private };
        Ok(Broadcast { topic, id: None, content: Content::Object(object(&event, payload, id)) })
    }

    fn payload(&self, largest: usize) -> Result<&str, &'static str> {
        match self.payload.map(RawValue::get) {
            None | Some("null") => Err(BLANK),
            Some(payload) if !payload.starts_with('{') => Err(INVALID),
            Some(payload) if payload.len() > largest => Err(TOO_LARGE),
            Some(payload) => Ok(payload),
        }
    }
}

/// Absent is false, and a boolean may be a text.
fn boolean(value: &Value) -> Option<bool> {
    match value {
        Value::Null => Some(false),
        Value::Bool(value) => Some(*value),
        Value::String(text) => match text.as_str() {
            "true" | "1" => Some(true),
            "false" | "0" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// What members receive (CONTRACT.md H3).
fn object(event: &str, payload: &str, id: Option<&str>) -> Bytes {
    let event = Value::from(event);
    let meta = id.map(|id| format!(",\"meta\":{}", json!({ "id": id }))).unwrap_or_default();
    format!("{{\"type\":\"broadcast\",\"event\":{event},\"payload\":{payload}{meta}}}").into()
}
