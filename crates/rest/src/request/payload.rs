//! The body (CONTRACT.md I01 to I13, C02 to C05).

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Value, value::RawValue};

use super::{
    MOST_COLUMNS, ValueIndex,
    action::{Action, CallMethod, Mutation},
    csv,
    media::MediaType,
    query,
};
use crate::error::{BodyFault, Error};

/// Most fields of a form. A relation has at most 1,600 columns. A function has at most 100
/// arguments, and one of them may be variadic.
const MOST_FIELDS: usize = 10_000;

/// A body, and what it names.
#[derive(Debug)]
pub struct Payload {
    /// The kind of body.
    pub form: PayloadForm,
    /// Columns or arguments it names.
    pub columns: BTreeSet<String>,
    /// Its bytes, as sent or as the JSON they were turned into.
    pub body: Bytes,
}

/// Kinds of bodies.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PayloadForm {
    /// No body, or one that is not read.
    None,
    /// A JSON object.
    Object,
    /// A JSON array of objects with the same keys.
    Array,
    /// Any other JSON. A function may take it as its only argument; all else reads no row in it.
    Value {
        /// Whether it is an array, whose elements are no objects or have different keys.
        uneven: bool,
    },
    /// Lines of texts, as sent.
    Table,
    /// Arguments of a function from a form; several values of a key belong to a variadic argument.
    Form(Vec<(String, ValueIndex)>),
    /// Bytes for a function's only argument.
    Raw,
}

/// Reads the body as its media type says, where the action has one.
pub(super) fn parse(
    body: Bytes,
    content_type: &MediaType,
    columns: Option<&Vec<String>>,
    action: &Action,
    values: &mut Vec<String>,
) -> Result<Payload, Error> {
    let call = match action {
        Action::Write { mutation: Mutation::Delete, .. } => return Ok(none()),
        Action::Write { mutation, .. } => {
            let columns = columns.filter(|_| *mutation != Mutation::Upsert);
            return relation(body, content_type, columns);
        }
        Action::Call { method: CallMethod::Post, .. } => true,
        Action::Call { .. } | Action::Read { .. } | Action::Document { .. } | Action::Info(_) => false,
    };
    if call { arguments(body, content_type, columns, values) } else { Ok(none()) }
}

fn none() -> Payload {
    Payload { form: PayloadForm::None, columns: BTreeSet::new(), body: Bytes::new() }
}

fn relation(body: Bytes, content_type: &MediaType, columns: Option<&Vec<String>>) -> Result<Payload, Error> {
    match content_type {
        MediaType::Json => json(body, columns).and_then(rows),
        MediaType::Csv => csv::look(body),
        MediaType::Form => form_object(&body),
        other => Err(Error::Body(BodyFault::ContentType(other.text().into_owned()))),
    }
}

fn arguments(
    body: Bytes,
    content_type: &MediaType,
    columns: Option<&Vec<String>>,
    values: &mut Vec<String>,
) -> Result<Payload, Error> {
    match content_type {
        MediaType::Json if body.is_empty() && columns.is_none() => json(Bytes::from_static(b"{}"), None),
        MediaType::Json => json(body, columns),
        MediaType::Csv => csv::look(body),
        MediaType::Form => form_arguments(&body, values),
        MediaType::PlainText | MediaType::Xml | MediaType::Bytes => {
            Ok(Payload { form: PayloadForm::Raw, columns: BTreeSet::new(), body })
        }
        other => Err(Error::Body(BodyFault::ContentType(other.text().into_owned()))),
    }
}

/// With `columns` the body goes to PostgreSQL unparsed (CONTRACT.md I08); otherwise only its keys
/// are read, and its bytes stay as sent (CONTRACT.md V15).
fn json(body: Bytes, columns: Option<&Vec<String>>) -> Result<Payload, Error> {
    if let Some(columns) = columns {
        let first = body.iter().find(|byte| !byte.is_ascii_whitespace());
        let form = if first == Some(&b'{') { PayloadForm::Object } else { PayloadForm::Array };
        return Ok(Payload { form, columns: columns.iter().cloned().collect(), body });
    }
    let keys = serde_json::from_slice::<Keys>(&body).map_err(|_| Error::Body(BodyFault::Json))?;
    match keys {
        Keys::Object(columns) => Ok(Payload { form: PayloadForm::Object, columns, body }),
        Keys::Objects(columns) => Ok(Payload { form: PayloadForm::Array, columns, body }),
        Keys::None { uneven } => {
            Ok(Payload { form: PayloadForm::Value { uneven }, columns: BTreeSet::new(), body })
        }
    }
}

/// A body of rows. A body that is no array of objects has none (CONTRACT.md I02, I04).
fn rows(payload: Payload) -> Result<Payload, Error> {
    match payload.form {
        PayloadForm::Value { uneven: true } => Err(Error::Body(BodyFault::UnevenKeys)),
        PayloadForm::Value { uneven: false } => {
            Ok(Payload { form: PayloadForm::Array, body: Bytes::from_static(b"[]"), ..payload })
        }
        _ => Ok(payload),
    }
}

/// The keys of a JSON body, found without building its values; of very many not all.
enum Keys {
    /// Keys of an object.
    Object(BTreeSet<String>),
    /// Keys that every object of an array has.
    Objects(BTreeSet<String>),
    /// No object, and no array of like objects.
    None {
        /// It is an array whose objects differ, or an element is no object (CONTRACT.md I02, I04).
        uneven: bool,
    },
}

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?;
        let first = raw.get().bytes().next();
        match first {
            Some(b'{') => object_keys(raw.get()).map(Self::Object).map_err(serde::de::Error::custom),
            Some(b'[') => serde_json::from_str::<ArrayKeys>(raw.get())
                .map(|keys| keys.0)
                .map_err(serde::de::Error::custom),
            _ => Ok(Self::None { uneven: false }),
        }
    }
}

fn object_keys(json: &str) -> serde_json::Result<BTreeSet<String>> {
    serde_json::from_str::<ObjectKeys>(json).map(|keys| keys.0)
}

struct ObjectKeys(BTreeSet<String>);

impl<'de> Deserialize<'de> for ObjectKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;
        impl<'de> Visitor<'de> for KeyVisitor {
            type Value = ObjectKeys;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ObjectKeys, A::Error> {
                let mut keys = BTreeSet::new();
                while let Some((key, _)) = map.next_entry::<String, IgnoredAny>()? {
                    if keys.len() < MOST_COLUMNS {
                        keys.insert(key);
                    }
                }
                Ok(ObjectKeys(keys))
            }
        }
        deserializer.deserialize_map(KeyVisitor)
    }
}

struct ArrayKeys(Keys);

impl<'de> Deserialize<'de> for ArrayKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ElementVisitor;
        impl<'de> Visitor<'de> for ElementVisitor {
            type Value = ArrayKeys;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an array")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<ArrayKeys, A::Error> {
                let mut keys: Option<BTreeSet<String>> = None;
                let mut uneven = false;
                while let Some(element) = elements.next_element::<&RawValue>()? {
                    match (object_keys(element.get()), &keys) {
                        (Err(_), _) => uneven = true,
                        (Ok(found), None) => keys = Some(found),
                        (Ok(found), Some(first)) => uneven |= found != *first,
                    }
                }
                Ok(ArrayKeys(match keys {
                    _ if uneven => Keys::None { uneven },
                    Some(keys) => Keys::Objects(keys),
                    None => Keys::None { uneven },
                }))
            }
        }
        deserializer.deserialize_seq(ElementVisitor)
    }
}

/// One row of strings (CONTRACT.md I12).
fn form_object(body: &[u8]) -> Result<Payload, Error> {
    let row: BTreeMap<String, Value> = form_pairs(body)?.map(|(key, value)| (key, value.into())).collect();
    let body = serde_json::to_vec(&row).map_err(|_| Error::Body(BodyFault::Json))?;
    Ok(Payload { form: PayloadForm::Object, columns: row.into_keys().collect(), body: body.into() })
}

fn form_pairs(body: &[u8]) -> Result<impl Iterator<Item = (String, String)> + use<>, Error> {
    if body.iter().filter(|byte| matches!(byte, b'&' | b';')).count() > MOST_FIELDS {
        return Err(Error::BodyTooLarge);
    }
    let pairs = query::pairs(&String::from_utf8_lossy(body));
    Ok(pairs.into_iter().map(|(key, value)| (key, value.unwrap_or_default())))
}

fn form_arguments(body: &[u8], values: &mut Vec<String>) -> Result<Payload, Error> {
    let mut arguments = Vec::new();
    for (key, value) in form_pairs(body)? {
        values.push(value);
        arguments.push((key, ValueIndex(values.len() - 1)));
    }
    let columns = arguments.iter().map(|(key, _)| key.clone()).collect();
    Ok(Payload { form: PayloadForm::Form(arguments), columns, body: Bytes::new() })
}
