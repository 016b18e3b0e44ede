//! In which form the answer is (rest.md section 15).

use crate::{
    error::Error,
    request::{Action, MediaType, Shape, preferences::Representation},
};

/// The form of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// How the body is built.
    pub format: Format,
    /// Its media type.
    pub media: MediaType,
}

/// How a body is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// There is none.
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
}

impl Answer {
    /// Whether exactly one row has to come.
    #[must_use]
    pub fn is_singular(&self) -> bool {
        matches!(self.media, MediaType::Object { .. })
    }
}

/// The first form that the client takes; a body is built only where one is sent (rest.md N01, N20).
pub(super) fn answer(shape: &Shape) -> Result<Answer, Error> {
    let acceptable = shape.accept.iter().find_map(available);
    let mut answer = acceptable.ok_or_else(|| refused(&shape.accept))?;
    let written = matches!(shape.action, Action::Write { .. });
    let returned = shape.preferences.representation == Some(Representation::Full);
    if shape.action.is_head() || written && !returned {
        answer.format = Format::None;
    }
    Ok(answer)
}

fn available(media: &MediaType) -> Option<Answer> {
    let format = match media {
        MediaType::Any | MediaType::Json => {
            return Some(Answer { format: Format::Json { strip_nulls: false }, media: MediaType::Json });
        }
        MediaType::Object { strip_nulls } => Format::Object { strip_nulls: *strip_nulls },
        MediaType::StrippedArray => Format::Json { strip_nulls: true },
        MediaType::Csv => Format::Csv,
        MediaType::GeoJson => Format::GeoJson,
        MediaType::OpenApi
        | MediaType::Form
        | MediaType::PlainText
        | MediaType::Xml
        | MediaType::Bytes
        | MediaType::Other(_) => return None,
    };
    Some(Answer { format, media: media.clone() })
}

/// The root document's media types (rest.md Q01).
pub(super) fn document(accept: &[MediaType]) -> Result<(), Error> {
    let fits = |media: &MediaType| matches!(media, MediaType::Any | MediaType::Json | MediaType::OpenApi);
    if accept.iter().any(fits) { Ok(()) } else { Err(refused(accept)) }
}

fn refused(accept: &[MediaType]) -> Error {
    Error::MediaType(accept.iter().map(|media| media.as_str().to_owned()).collect())
}
