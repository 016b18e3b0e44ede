//! Stage 1: from HTTP to [`ApiRequest`]. Knows HTTP and the grammar of the query string, not the
//! database.
//!
//! A request has a [`Shape`]. The values of its filters and arguments, its body and its headers are
//! kept apart from it, so that requests of equal shape are planned and rendered once.

/// Reads one value of the query string and remembers the furthest mismatch.
pub(crate) mod cursor;

/// Names, JSON paths and identifiers.
pub mod fields;

/// `select=`
pub mod select;

/// Filters and logic trees.
pub mod filter;

/// `order=`
pub mod order;

/// The whole query string.
pub mod query;

/// `limit`, `offset` and the header `Range`.
pub mod range;

/// `Prefer`
pub mod preferences;

/// Media types and `Accept`.
pub mod media;

/// The body.
pub mod payload;

/// Bodies that are tables.
pub(crate) mod csv;

/// Path and method.
pub mod action;

/// The parts of a request that PostgreSQL sees as settings.
pub mod context;

use std::{
    collections::BTreeSet,
    hash::{Hash, Hasher},
};

use bytes::Bytes;
use http::{HeaderMap, Method, request::Parts};

pub use self::{
    action::{Action, Resource},
    context::Context,
    fields::Field,
    media::MediaType,
    payload::{Payload, PayloadForm},
    preferences::{OtherPreferences, Preferences},
    query::Query,
    range::{Range, Window},
};
use crate::{error::Error, settings::Settings};

/// Most columns that PostgreSQL can select at a time. No relation has more, and no function has so
/// many arguments: of a body no more names are looked at.
pub(crate) const MOST_COLUMNS: usize = 1_664;

/// Index of a value in [`ApiRequest::values`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueIndex(pub usize);

/// A request, understood as far as that is possible without the database.
#[derive(Debug)]
pub struct ApiRequest {
    /// Its shape; two requests of one shape run the same SQL text.
    pub shape: Shape,
    /// Values of filters and arguments and the numbers of ranges, by [`ValueIndex`].
    pub values: Vec<String>,
    /// Rows asked for at the top.
    pub range: Range,
    /// The body, as sent or as the JSON it was turned into.
    pub body: Bytes,
    /// Media types the client takes, as sent, best first.
    pub accept: Vec<MediaType>,
    /// Preferences that no SQL depends on.
    pub other_preferences: OtherPreferences,
    /// The parts that PostgreSQL sees as settings.
    pub context: Context,
    /// The query string, sorted by key and encoded again, for `Content-Location` (CONTRACT.md R20).
    pub canonical_query: String,
}

/// Everything of a request that decides the SQL text and the form of the answer, as far as it is
/// understood. What is not understood makes no shape of its own.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The action, and the resource.
    pub action: Action,
    /// The schema it is done in.
    pub schema: String,
    /// Whether the answer names that schema (CONTRACT.md K05).
    pub schema_negotiated: bool,
    /// The parsed query string.
    pub query: Query,
    /// The range at the top, without its numbers.
    pub range: Window,
    /// `Prefer`.
    pub preferences: Preferences,
    /// Media types the client takes, best first.
    pub accept: Vec<MediaType>,
    /// Media type of the body, where it has one that is looked at.
    pub content_type: MediaType,
    /// The kind of body.
    pub payload: PayloadForm,
    /// Columns or arguments that the body names.
    pub columns: BTreeSet<String>,
}

impl Shape {
    /// Bytes of all its words and numbers, which distinguish it from other shapes.
    #[must_use]
    pub fn weight(&self) -> u64 {
        let mut count = Count(0);
        self.hash(&mut count);
        count.0
    }
}

/// Counts what is hashed.
struct Count(u64);

impl Hasher for Count {
    fn write(&mut self, bytes: &[u8]) {
        self.0 += bytes.len() as u64;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl ApiRequest {
    /// Puts `as_understood` of each media type that the client takes into the shape.
    pub fn understand(&mut self, as_understood: impl Fn(&MediaType) -> MediaType) {
        let mut understood: Vec<MediaType> = Vec::new();
        for media in self.accept.iter().map(as_understood) {
            if !understood.contains(&media) {
                understood.push(media);
            }
        }
        self.shape.accept = understood;
    }
}

/// Parses a request and its body.
///
/// # Errors
/// PGRST100 to PGRST126, in the order in which PostgREST finds them.
pub fn parse(parts: &Parts, body: Bytes, settings: &Settings) -> Result<ApiRequest, Error> {
    let resource = action::resource(parts.uri.path(), settings)?;
    let (schema, schema_negotiated) = schema(parts, settings)?;
    let action = action::action(resource, &parts.method)?;
    let mut values = Vec::new();
    let query_string = parts.uri.query().unwrap_or_default();
    let pairs = query::pairs(query_string);
    let (query, asked) = query::parse(&pairs, action.reads_function(), &mut values)?;
    let (range, window) = range::top(&parts.method, &parts.headers, asked, &mut values)?;
    let content_type = content_type(&parts.headers);
    let Payload { form, columns, body } =
        payload::parse(body, &content_type, query.columns.as_ref(), &action, &mut values)?;
    let (preferences, other_preferences) =
        preferences::parse(&parts.headers, settings.transaction_end.choice);
    let accept = media::accepted(&parts.headers);
    let shape = Shape {
        action,
        schema,
        schema_negotiated,
        query,
        range: window,
        preferences,
        accept: accept.clone(),
        content_type: if form == PayloadForm::None { MediaType::Any } else { content_type },
        payload: form,
        columns,
    };
    let canonical_query = query::canonical(&pairs);
    let context = Context::of(parts);
    Ok(ApiRequest { shape, values, range, body, accept, other_preferences, context, canonical_query })
}

/// The schema asked for by `Accept-Profile` or `Content-Profile` (CONTRACT.md K01 to K04).
fn schema(parts: &Parts, settings: &Settings) -> Result<(String, bool), Error> {
    let writes = [Method::POST, Method::PATCH, Method::PUT, Method::DELETE].contains(&parts.method);
    let header = if writes { "content-profile" } else { "accept-profile" };
    match text(&parts.headers, header) {
        Some(wanted) if settings.schemas.iter().any(|schema| schema == wanted) => {
            Ok((wanted.to_owned(), true))
        }
        Some(wanted) => {
            Err(Error::SchemaNotExposed { schema: wanted.to_owned(), exposed: settings.schemas.clone() })
        }
        None => Ok((settings.schemas.first().cloned().unwrap_or_default(), settings.schemas.len() > 1)),
    }
}

/// The media type of the body, JSON where none is named.
pub(crate) fn content_type(headers: &HeaderMap) -> MediaType {
    text(headers, "content-type").map_or(MediaType::Json, MediaType::parse)
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

#[cfg(test)]
mod tests;
