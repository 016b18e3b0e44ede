//! Functions and aggregates that turn rows or values into a media type, besides the built-in ones
//! (CONTRACT.md N14 to N18).

use std::{collections::HashMap, sync::Arc};

use serde::{Deserialize, Serialize};

use super::Qualified;
use crate::request::MediaType;

/// A function or aggregate whose result is a domain named as a media type.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct MediaHandler {
    /// Its name.
    pub function: Qualified,
    /// Whether it is an aggregate over rows; otherwise it is the function that was called.
    pub aggregate: bool,
    /// The relation whose rows it takes, or the function itself; none takes any.
    pub target: Option<Qualified>,
    /// Name of the domain.
    media: String,
    /// Whether the domain is over `bytea`.
    pub bytes: bool,
}

impl MediaHandler {
    /// The media type of its result. A handler that answers every `Accept` sets the type itself
    /// (CONTRACT.md N17).
    #[must_use]
    pub fn media(&self) -> MediaType {
        match self.media.as_str() {
            "*/*" => MediaType::Bytes,
            media => MediaType::parse(media),
        }
    }
}

/// All handlers, by what they take and the media type they answer.
#[derive(Debug, Default)]
pub struct MediaHandlers(HashMap<(Option<Qualified>, MediaType), Arc<MediaHandler>>);

impl MediaHandlers {
    /// The handlers by what they take.
    #[must_use]
    pub fn new(all: Vec<MediaHandler>) -> Self {
        let keyed = all.into_iter().map(|it| {
            let answers = MediaType::parse(&it.media.to_ascii_lowercase());
            ((it.target.clone(), answers), Arc::new(it))
        });
        Self(keyed.collect())
    }

    /// The handler of a relation's rows, or of a function's result, for a media type. One for `*/*`
    /// comes first.
    #[must_use]
    pub fn of(&self, target: &Qualified, media: &MediaType) -> Option<&Arc<MediaHandler>> {
        let own = |media: &MediaType| self.0.get(&(Some(target.clone()), lower(media)));
        own(&MediaType::Any).or_else(|| own(media))
    }

    /// Whether one of them is for this media type.
    #[must_use]
    pub fn know(&self, media: &MediaType) -> bool {
        let media = lower(media);
        self.0.keys().any(|(_, known)| *known == media)
    }

    /// Whether one of them answers every `Accept`.
    #[must_use]
    pub fn answer_anything(&self) -> bool {
        self.know(&MediaType::Any)
    }

    /// Every handler, by name.
    #[must_use]
    pub fn all(&self) -> Vec<&MediaHandler> {
        let mut all: Vec<&MediaHandler> = self.0.values().map(AsRef::as_ref).collect();
        all.sort_by_key(|it| (&it.function, &it.target, &it.media));
        all
    }

    /// The handler of any rows or values for a media type.
    #[must_use]
    pub fn of_anything(&self, media: &MediaType) -> Option<&Arc<MediaHandler>> {
        self.0.get(&(None, lower(media)))
    }
}

/// Media types are equal whatever their case (CONTRACT.md N01).
fn lower(media: &MediaType) -> MediaType {
    match media {
        MediaType::Other(text) => MediaType::Other(text.to_ascii_lowercase()),
        known => known.clone(),
    }
}
