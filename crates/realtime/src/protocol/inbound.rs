use std::{borrow::Cow, fmt};

use bytes::Bytes;
use serde::{
    Deserialize, Deserializer,
    de::{Error as _, IgnoredAny, SeqAccess, Visitor},
};
use serde_json::value::RawValue;

use super::Version;
use crate::model::Payload;

/// A message of a client (CONTRACT.md S1 to S3). Refs are JSON as they came, to be sent back.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Inbound<'a> {
    pub(crate) join_ref: Cow<'a, str>,
    pub(crate) reference: Cow<'a, str>,
    pub(crate) topic: Cow<'a, str>,
    pub(crate) event: Cow<'a, str>,
    pub(crate) payload: MessagePayload,
}

/// What a message carries.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum MessagePayload {
    /// JSON, as it came.
    Json(Bytes),
    /// A broadcast as binary (type 3): the user's event and payload.
    Broadcast { event: String, payload: Payload },
    /// Bytes of a push as binary (type 0).
    Bytes(Bytes),
}

/// Why a frame is no message (CONTRACT.md C15).
#[derive(Debug, thiserror::Error)]
pub(crate) enum Malformed {
    /// What is wrong may quote the client, whose message may hold a token. So only the place is
    /// told.
    #[error("text that is no message, at line {} column {}", .0.line(), .0.column())]
    Json(#[from] serde_json::Error),
    #[error("a binary frame that is cut short")]
    Short,
    #[error("a binary frame of an unknown type")]
    Type,
    #[error("a binary frame whose names are no UTF-8")]
    Text(#[from] std::str::Utf8Error),
}

/// Reads a frame of text.
///
/// # Errors
/// [`Malformed::Json`] for what is no JSON, or not of the version's shape.
pub(crate) fn parse_text(version: Version, frame: &Bytes) -> Result<Inbound<'_>, Malformed> {
    let parts = match version {
        Version::V1 => serde_json::from_slice::<Object>(frame)?.into(),
        Version::V2 => serde_json::from_slice::<Parts>(frame)?,
    };
    Ok(Inbound {
        join_ref: Cow::Borrowed(reference(parts.join_ref)?),
        reference: Cow::Borrowed(reference(Some(parts.reference))?),
        topic: parts.topic.0,
        event: parts.event.0,
        payload: MessagePayload::Json(frame.slice_ref(parts.payload.get().as_bytes())),
    })
}

/// A ref is a text, a number or nothing.
fn reference(raw: Option<&RawValue>) -> Result<&str, Malformed> {
    let text = raw.map_or("null", RawValue::get);
    match text.as_bytes().first() {
        Some(b'[' | b'{') | None => Err(serde_json::Error::custom("a ref of another type").into()),
        Some(_) => Ok(text),
    }
}

/// A text that borrows from the frame where it holds no escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

struct Parts<'a> {
    join_ref: Option<&'a RawValue>,
    reference: &'a RawValue,
    topic: Text<'a>,
    event: Text<'a>,
    payload: &'a RawValue,
}

/// Version 1: the keys stand in any order.
#[derive(Deserialize)]
struct Object<'a> {
    #[serde(borrow)]
    topic: Text<'a>,
    #[serde(borrow)]
    event: Text<'a>,
    #[serde(borrow)]
    payload: &'a RawValue,
    #[serde(borrow, rename = "ref")]
    reference: &'a RawValue,
    #[serde(borrow, default)]
    join_ref: Option<&'a RawValue>,
}

impl<'a> From<Object<'a>> for Parts<'a> {
    fn from(object: Object<'a>) -> Self {
        let Object { topic, event, payload, reference, join_ref } = object;
        Self { join_ref, reference, topic, event, payload }
    }
}

/// Version 2: five elements, and more that do not count.
impl<'de> Deserialize<'de> for Parts<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(PartsVisitor)
    }
}

struct PartsVisitor;

impl<'de> Visitor<'de> for PartsVisitor {
    type Value = Parts<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array of five elements")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let parts = Parts {
            join_ref: Some(element(&mut seq)?),
            reference: element(&mut seq)?,
            topic: element(&mut seq)?,
            event: element(&mut seq)?,
            payload: element(&mut seq)?,
        };
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(parts)
    }
}

fn element<'de, T: Deserialize<'de>, A: SeqAccess<'de>>(seq: &mut A) -> Result<T, A::Error> {
    seq.next_element()?.ok_or_else(|| A::Error::custom("fewer than five elements"))
}

/// Reads a binary frame, which version 2 alone has (CONTRACT.md S3, S5).
///
/// # Errors
/// [`Malformed`] for other types than 0 and 3, for lengths beyond the frame, for names that are no
/// UTF-8 and for metadata that is no JSON.
pub(crate) fn parse_binary(frame: &Bytes) -> Result<Inbound<'_>, Malformed> {
    match frame.first() {
        Some(0) => parse_push(frame),
        Some(3) => parse_broadcast(frame),
        Some(_) => Err(Malformed::Type),
        None => Err(Malformed::Short),
    }
}

fn parse_push(frame: &Bytes) -> Result<Inbound<'_>, Malformed> {
    let &[_, join_ref, reference, topic, event, ..] = &frame[..] else { return Err(Malformed::Short) };
    let mut rest = Rest { frame, at: 5 };
    Ok(Inbound {
        join_ref: quoted(rest.text(join_ref)?),
        reference: quoted(rest.text(reference)?),
        topic: Cow::Borrowed(rest.text(topic)?),
        event: Cow::Borrowed(rest.text(event)?),
        payload: MessagePayload::Bytes(rest.all()),
    })
}

fn parse_broadcast(frame: &Bytes) -> Result<Inbound<'_>, Malformed> {
    let &[_, join_ref, reference, topic, event, metadata, encoding, ..] = &frame[..] else {
        return Err(Malformed::Short);
    };
    let mut rest = Rest { frame, at: 7 };
    let (join_ref, reference) = (quoted(rest.text(join_ref)?), quoted(rest.text(reference)?));
    let topic = Cow::Borrowed(rest.text(topic)?);
    let event = rest.text(event)?.to_owned();
    let metadata = rest.text(metadata)?;
    if !metadata.is_empty() {
        serde_json::from_str::<IgnoredAny>(metadata)?;
    }
    let payload = match encoding {
        0 => Payload::Binary(rest.all()),
        _ => Payload::Json(rest.all()),
    };
    let payload = MessagePayload::Broadcast { event, payload };
    Ok(Inbound { join_ref, reference, topic, event: Cow::Borrowed("broadcast"), payload })
}

/// A ref of a binary frame as JSON; an empty one is none.
fn quoted(reference: &str) -> Cow<'_, str> {
    match reference {
        "" => Cow::Borrowed("null"),
        _ => Cow::Owned(serde_json::Value::from(reference).to_string()),
    }
}

/// What of a binary frame is not read yet.
struct Rest<'a> {
    frame: &'a Bytes,
    at: usize,
}

impl<'a> Rest<'a> {
    fn text(&mut self, length: u8) -> Result<&'a str, Malformed> {
        let end = self.at + usize::from(length);
        let text = self.frame.get(self.at..end).ok_or(Malformed::Short)?;
        self.at = end;
        Ok(std::str::from_utf8(text)?)
    }

    fn all(&self) -> Bytes {
        self.frame.slice(self.at..)
    }
}
