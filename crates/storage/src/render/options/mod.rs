//! What a client may ask for (CONTRACT.md I02).

use std::fmt::{self, Write};

use crate::{error::StorageError, wire::Fields};

/// How the image fills the size that was asked for.
mod resizing;

/// Which part of the image a crop keeps.
mod gravity;

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
    /// Reads the options of a query, or of a body that asks for a signed URL.
    pub(crate) fn read(fields: &Fields) -> Result<Self, StorageError> {
        let height = fields.integer("height", 0)?.and_then(side);
        let width = fields.integer("width", 0)?.and_then(side);
        let resizing = named(fields, "resize", Resizing::NAMES)?.unwrap_or_default();
        let format = named(fields, "format", FORMATS)?;
        let quality = quality(fields)?;
        let anchor = named(fields, "gravity", Anchor::NAMES)?;
        let (x, y) = (fields.number("x_offset")?, fields.number("y_offset")?);
        let gravity = anchor.map(|anchor| Gravity::new(anchor, x, y)).transpose()?;
        Ok(Self { width, height, resizing, quality, format, gravity })
    }

    /// Reads what [`Self::signed`] wrote.
    pub(crate) fn from_signed(text: &str) -> Result<Self, StorageError> {
        let fields = text.split(',').filter_map(|part| part.split_once(':')).flat_map(|(name, values)| {
            let values = values.split(':').map(str::to_owned);
            part_names(name).map(str::to_owned).into_iter().zip(values).filter(|(_, value)| !value.is_empty())
        });
        Self::read(&Fields::of_texts("transformations", fields))
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

/// The options that a part of a signed text holds, such as `gravity:fp:0.5:0.5`.
fn part_names(part: &str) -> [&str; 3] {
    if part == "gravity" { [part, "x_offset", "y_offset"] } else { [part, "", ""] }
}

/// A side that was asked for; 0 asks for none.
fn side(pixels: i64) -> Option<u32> {
    (pixels > 0).then(|| u32::try_from(pixels).unwrap_or(LONGEST_SIDE).min(LONGEST_SIDE))
}

fn quality(fields: &Fields) -> Result<Option<u8>, StorageError> {
    let Some(quality) = fields.integer("quality", 20)? else { return Ok(None) };
    let small = u8::try_from(quality).ok().filter(|quality| *quality <= 100);
    small.map(Some).ok_or_else(|| fields.fault("quality", "must be <= 100"))
}

/// The value that a word of a list stands for.
fn named<T: Copy>(
    fields: &Fields,
    name: &str,
    values: &[(&'static str, T)],
) -> Result<Option<T>, StorageError> {
    let words: Vec<&'static str> = values.iter().map(|(word, _)| *word).collect();
    let word = fields.choice(name, &words)?;
    Ok(word.and_then(|word| values.iter().find(|(named, _)| *named == word)).map(|(_, value)| *value))
}

#[cfg(test)]
mod tests;
