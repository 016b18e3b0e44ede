use std::borrow::Cow;

use banyan_web::query_parameter;
use bytes::Bytes;
use http::{HeaderMap, Uri, header::CONTENT_TYPE};
use percent_encoding::percent_decode_str;
use serde_json::{json, value::RawValue};

use super::{batch::TOO_LARGE, refusal::Refusal};
use crate::model::{Broadcast, Content, Payload, Topic};

/// The topic and the event that a path names, and whether the topic is private (CONTRACT.md H4).
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Target {
    topic: String,
    event: String,
    is_private: bool,
}

/// What a body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Json,
    Binary,
}

impl Target {
    /// Reads an address; none where it names no topic and event. The path is split before it is
    /// decoded, so that a `%2F` belongs to its segment.
    pub(super) fn read(uri: &Uri) -> Option<Self> {
        let path = uri.path().strip_prefix("/api/broadcast/")?;
        let (topic, rest) = path.split_once('/')?;
        let event = rest.strip_prefix("events/").filter(|event| !event.contains('/'))?;
        let decoded = |segment: &str| -> Option<String> {
            let text = percent_decode_str(segment).decode_utf8().ok()?;
            (!text.is_empty()).then(|| text.into_owned())
        };
        let is_private = query_parameter(uri, "private").as_deref() == Some("true");
        Some(Self { topic: decoded(topic)?, event: decoded(event)?, is_private })
    }

    /// The message whose payload is this body (CONTRACT.md H5, H6).
    pub(super) fn message(self, form: Form, body: Bytes, largest: usize) -> Result<Broadcast, Refusal> {
        for (field, text) in [("topic", &self.topic), ("event", &self.event)] {
            if text.trim().is_empty() {
                return Err(Refusal::Invalid(json!({ field: ["can't be blank"] })));
            }
        }
        let payload = match form {
            Form::Json => Payload::Json(object(body)?),
            Form::Binary => Payload::Binary(body),
        };
        if payload.len() > largest {
            return Err(Refusal::Invalid(json!({ "payload": [TOO_LARGE] })));
        }
        let topic = Topic { name: self.topic.into(), is_private: self.is_private };
        Ok(Broadcast { topic, id: None, content: Content::Event { event: self.event, payload, meta: None } })
    }
}

impl Form {
    /// Without a content type it is JSON.
    pub(super) fn of(headers: &HeaderMap) -> Result<Self, Refusal> {
        let Some(named) = headers.get(CONTENT_TYPE) else { return Ok(Self::Json) };
        let named = String::from_utf8_lossy(named.as_bytes()).to_ascii_lowercase();
        let essence =
            named.split(';').next().map_or(Cow::Borrowed(""), |essence| essence.trim().to_owned().into());
        match &*essence {
            "application/json" => Ok(Self::Json),
            "application/octet-stream" => Ok(Self::Binary),
            _ => Err(Refusal::UnsupportedType),
        }
    }
}

/// A JSON object as it came. No body is an empty one, and any other value stands in one.
fn object(body: Bytes) -> Result<Bytes, Refusal> {
    if body.is_empty() {
        return Ok(Bytes::from_static(b"{}"));
    }
    let json: &RawValue = serde_json::from_slice(&body).map_err(|_| Refusal::NoJson)?;
    match json.get() {
        object if object.starts_with('{') => Ok(body.slice_ref(object.as_bytes())),
        other => Ok(format!("{{\"_json\":{other}}}").into()),
    }
}
