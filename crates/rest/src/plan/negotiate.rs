//! Chooses the form of the answer (CONTRACT.md N01 to N20).

use std::sync::Arc;

use super::Node;
use crate::{
    error::Error,
    request::{Action, MediaType, Shape, media::PlanOptions, preferences::Representation},
    schema::{Catalog, MediaHandler, Qualified},
    settings::Settings,
};

/// The form of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// How the body is built.
    pub format: Format,
    /// Its media type.
    pub media: MediaType,
    /// The statement is explained, not answered (CONTRACT.md N11).
    pub explain: Option<Explain>,
}

/// How a statement is explained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Explain {
    /// `true`: as JSON; `false`: as text.
    pub json: bool,
    /// Details that are shown.
    pub options: PlanOptions,
}

/// How a body is built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Format {
    /// No body.
    None,
    /// A JSON array of rows, or a function's bare value.
    Json {
        /// Whether null members are left out.
        strip_nulls: bool,
    },
    /// One JSON object.
    Object {
        /// Whether null members are left out.
        strip_nulls: bool,
    },
    /// CSV.
    Csv,
    /// A feature collection.
    GeoJson,
    /// Made by a function or an aggregate of the database.
    Custom(Arc<MediaHandler>),
}

impl Format {
    /// Returns whether PostgreSQL writes the body as hexadecimal digits of its bytes.
    #[must_use]
    pub fn is_binary(&self) -> bool {
        matches!(self, Self::Custom(handler) if handler.bytes)
    }
}

impl Answer {
    /// Returns whether exactly one row must come.
    #[must_use]
    pub fn is_singular(&self) -> bool {
        matches!(self.media, MediaType::Object { .. })
    }
}

/// The first form that the client takes; a body is built only where one is sent (CONTRACT.md N01,
/// N20). `target` is the relation, or the function whose result has no relation.
pub(super) fn answer(
    shape: &Shape,
    target: &Qualified,
    node: &Node,
    catalog: &Catalog,
    settings: &Settings,
) -> Result<Answer, Error> {
    let available = Available { target: node.selects_only_all().then_some(target), catalog };
    let acceptable = shape.accept.iter().find_map(|media| available.answer(media, settings.plans));
    let mut answer = acceptable.ok_or_else(|| refused(&shape.accept))?;
    let written = matches!(shape.action, Action::Write { .. });
    let returned = shape.preferences.representation == Some(Representation::Full);
    if shape.action.is_head() || written && !returned {
        answer.format = Format::None;
    }
    Ok(answer)
}

/// Media types that can be answered.
struct Available<'a> {
    /// The relation or function, where everything of it is selected (CONTRACT.md N15).
    target: Option<&'a Qualified>,
    catalog: &'a Catalog,
}

impl Available<'_> {
    fn answer(&self, media: &MediaType, plans: bool) -> Option<Answer> {
        let (of, explain) = match media {
            MediaType::Plan { .. } if !plans => return None,
            MediaType::Plan { json, of, options } => {
                (of.as_ref(), Some(Explain { json: *json, options: *options }))
            }
            media => (media, None),
        };
        let (format, own) = self.fixed(of).or_else(|| self.custom(of)).or_else(|| known(of))?;
        let media = if explain.is_some() { media.clone() } else { own };
        Some(Answer { format, media, explain })
    }

    /// The service's own media types, which nobody can override (CONTRACT.md N16).
    fn fixed(&self, media: &MediaType) -> Option<(Format, MediaType)> {
        let format = match media {
            MediaType::Object { strip_nulls } => Format::Object { strip_nulls: *strip_nulls },
            MediaType::StrippedArray => Format::Json { strip_nulls: true },
            _ => return None,
        };
        Some((format, media.clone()))
    }

    fn custom(&self, media: &MediaType) -> Option<(Format, MediaType)> {
        let handlers = &self.catalog.handlers;
        let own = self.target.and_then(|target| handlers.of(target, media));
        let handler = own.or_else(|| handlers.of_anything(media))?;
        Some((Format::Custom(Arc::clone(handler)), handler.media()))
    }
}

/// Media types of every relation and function.
fn known(media: &MediaType) -> Option<(Format, MediaType)> {
    match media {
        MediaType::Any | MediaType::Json => Some((Format::Json { strip_nulls: false }, MediaType::Json)),
        MediaType::Csv => Some((Format::Csv, MediaType::Csv)),
        MediaType::GeoJson => Some((Format::GeoJson, MediaType::GeoJson)),
        _ => None,
    }
}

/// The root document's media types (CONTRACT.md Q01).
pub(super) fn document(accept: &[MediaType]) -> Result<(), Error> {
    let fits = |media: &MediaType| matches!(media, MediaType::Any | MediaType::Json | MediaType::OpenApi);
    if accept.iter().any(fits) { Ok(()) } else { Err(refused(accept)) }
}

fn refused(accept: &[MediaType]) -> Error {
    Error::MediaType(accept.iter().map(|media| media.text().into_owned()).collect())
}
