//! The source as pixels (CONTRACT.md I04, I06).
//!
//! The format is told by the first bytes, never by a stored type. Size, pixels and memory are
//! compared with their bounds before a pixel is decoded.

use std::io::Cursor;

use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits, metadata::Orientation};

use super::{error::RenderError, geometry::Size};

/// Most pixels of a source.
const MOST_PIXELS: u64 = 50_000_000;

/// Memory that a decoder takes for each byte of pixels it returns: a progressive JPEG is held in
/// 16-bit coefficients beside its pixels.
const MEMORY_PER_BYTE: u64 = 3;

/// A decoded source.
pub(super) struct Source {
    pub(super) image: DynamicImage,
    pub(super) format: ImageFormat,
    /// How the image is to be turned before it is shown, from its EXIF data.
    pub(super) orientation: Orientation,
    /// The colour profile that the pixels are in, unless it is sRGB.
    pub(super) colour_profile: Option<Vec<u8>>,
}

impl Source {
    /// Its size as it is shown.
    pub(super) fn shown_size(&self) -> Size {
        let size = Size { width: self.image.width(), height: self.image.height() };
        if is_turned(self.orientation) { size.turned() } else { size }
    }
}

/// Whether an orientation swaps width and height.
pub(super) fn is_turned(orientation: Orientation) -> bool {
    use Orientation::{Rotate90, Rotate90FlipH, Rotate270, Rotate270FlipH};
    matches!(orientation, Rotate90 | Rotate270 | Rotate90FlipH | Rotate270FlipH)
}

/// Decodes an image, or the first frame of an animation, in at most `memory` bytes.
pub(super) fn decode(bytes: &[u8], memory: u64) -> Result<Source, RenderError> {
    let mut reader = ImageReader::new(Cursor::new(bytes));
    reader.limits(limits(memory));
    let reader = reader.with_guessed_format().map_err(|_| RenderError::Unreadable)?;
    let format = reader.format().ok_or(RenderError::Unreadable)?;
    let mut decoder = reader.into_decoder().map_err(|error| refusal(&error))?;
    check_size(&decoder, memory)?;
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let colour_profile = decoder.icc_profile().ok().flatten();
    let image = DynamicImage::from_decoder(decoder).map_err(|error| refusal(&error))?;
    Ok(Source { image, format, orientation, colour_profile })
}

fn limits(memory: u64) -> Limits {
    let mut limits = Limits::default();
    limits.max_alloc = Some(memory);
    limits
}

fn check_size(decoder: &impl ImageDecoder, memory: u64) -> Result<(), RenderError> {
    let (width, height) = decoder.dimensions();
    let pixels = Size { width, height }.pixels();
    if pixels == 0 {
        return Err(RenderError::Unreadable);
    }
    let fits = pixels <= MOST_PIXELS && decoder.total_bytes().saturating_mul(MEMORY_PER_BYTE) <= memory;
    if fits { Ok(()) } else { Err(RenderError::TooManyPixels) }
}

fn refusal(error: &image::ImageError) -> RenderError {
    match error {
        image::ImageError::Limits(_) => RenderError::TooManyPixels,
        _ => RenderError::Unreadable,
    }
}

#[cfg(test)]
mod tests;
