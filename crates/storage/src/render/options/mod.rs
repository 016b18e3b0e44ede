//! What a client may ask for (CONTRACT.md I02).

use std::fmt::{self, Write};

use crate::error::StorageError;

/// How the image fills the size that was asked for.
mod resizing;

/// Which part of the image a crop keeps.
mod gravity;

/// Fields as text, and what is said of bad ones.
mod fields;

use fields::Fields;
pub(crate) use gravity::{Anchor, Gravity};
pub(crate) use resizing::Resizing;

/// Longest side that can be asked for, in pixels.
const LONGEST_SIDE: u32 = 2000;

/// What a client asks for.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct RenderOptions {
    /// Pixels; none keeps the aspect.
    pub(crate) width: Option<u32>,
    /// Pixels; none keeps the aspect.
    pub(crate) height: Option<u32>,
    pub(crate) resizing: Resizing,
    /// From 20 to 100; none is the format's own.
    pub(crate) quality: Option<u8>,
    pub(crate) format: Option<Format>,
    pub(crate) gravity: Option<Gravity>,
}

/// The type that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// That of the source, whatever the client accepts.
    Origin,
    Avif,
    Webp,
}

impl RenderOptions {
    /// Reads options that `field` finds by their names. `place` is what errors call the whole, such as
    /// `querystring` (CONTRACT.md E03).
    pub(crate) fn read(place: &str, field: &dyn Fn(&str) -> Option<String>) -> Result<Self, StorageError> {
        let fields = Fields { place, field };
        let height = side(fields.integer("height", Some(0.0), None)?);
        let width = side(fields.integer("width", Some(0.0), None)?);
        let resizing = fields.one_of("resize", Resizing::NAMES)?.unwrap_or_default();
        let format = fields.one_of("format", FORMATS)?;
        let quality = fields.integer("quality", Some(20.0), Some(100.0))?.map(small);
        let anchor = fields.one_of("gravity", Anchor::NAMES)?;
        let (x, y) = (fields.number("x_offset")?, fields.number("y_offset")?);
        let gravity = anchor.map(|anchor| Gravity::new(anchor, x, y)).transpose()?;
        Ok(Self { width, height, resizing, quality, format, gravity })
    }

    /// Reads what [`Self::signed`] wrote.
    pub(crate) fn from_signed(text: &str) -> Result<Self, StorageError> {
        let parts: Vec<Vec<&str>> = text.split(',').map(|part| part.split(':').collect()).collect();
        let part = |name: &str, index: usize| {
            let part = parts.iter().find(|part| part[0] == name)?;
            part.get(index).filter(|value| !value.is_empty()).map(|value| (*value).to_owned())
        };
        Self::read("transformations", &|name| match name {
            "x_offset" => part("gravity", 2),
            "y_offset" => part("gravity", 3),
            name => part(name, 1),
        })
    }

    /// The options as the token of a signed URL holds them; empty for none.
    pub(crate) fn signed(&self) -> String {
        let mut text = self.written("resize", self.resizing.name());
        if self.format == Some(Format::Origin) {
            text.push_str(if text.is_empty() { "format:origin" } else { ",format:origin" });
        }
        text
    }

    /// The header `X-Transformations`, in the words of imgproxy; empty for none (CONTRACT.md I05).
    pub(crate) fn transformations(&self) -> String {
        self.written("resizing_type", self.resizing.imgproxy_name())
    }

    fn written(&self, resize: &str, resizing: &str) -> String {
        let mut text = Segments::default();
        text.add_some("height", self.height);
        text.add_some("width", self.width);
        text.add_some(resize, (self.width.is_some() || self.height.is_some()).then_some(resizing));
        text.add_some("quality", self.quality);
        text.add_some("format", self.format.and_then(Format::wanted_name));
        text.add_some("gravity", self.gravity.as_ref());
        text.0
    }
}

/// Names of formats.
const FORMATS: &[(&str, Format)] =
    &[("origin", Format::Origin), ("avif", Format::Avif), ("webp", Format::Webp)];

impl Format {
    /// Its name, if it is another one than the source's.
    fn wanted_name(self) -> Option<&'static str> {
        match self {
            Self::Origin => None,
            Self::Avif => Some("avif"),
            Self::Webp => Some("webp"),
        }
    }
}

/// `name:value`, joined by commas.
#[derive(Default)]
struct Segments(String);

impl Segments {
    fn add_some(&mut self, name: &str, value: Option<impl fmt::Display>) {
        if let Some(value) = value {
            let comma = if self.0.is_empty() { "" } else { "," };
            let _ = write!(self.0, "{comma}{name}:{value}");
        }
    }
}

/// A side that was asked for; 0 asks for none.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and LONGEST_SIDE")]
fn side(number: Option<f64>) -> Option<u32> {
    number.filter(|side| *side > 0.0).map(|side| side.min(f64::from(LONGEST_SIDE)) as u32)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 20 and 100")]
fn small(number: f64) -> u8 {
    number as u8
}

#[cfg(test)]
mod tests;
