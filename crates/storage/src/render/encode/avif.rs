//! AVIF, by rav1e without assembler.

use image::DynamicImage;
use ravif::{Encoder, Img, RGBA8};

use crate::render::{RenderError, geometry::Size};

/// Most pixels that are encoded: what takes a processor a few seconds.
const MOST_PIXELS: u64 = 2_000_000;

/// Fastest that is not the worst.
const SPEED: u8 = 9;

/// Whether an image is small enough.
pub(super) fn is_affordable(image: &DynamicImage) -> bool {
    Size { width: image.width(), height: image.height() }.pixels() <= MOST_PIXELS
}

/// Encodes with loss, in one thread.
pub(super) fn encode(image: &DynamicImage, quality: u8) -> Result<Vec<u8>, RenderError> {
    let image = image.to_rgba8();
    let pixels: Vec<RGBA8> = image.pixels().map(|pixel| RGBA8::from(pixel.0)).collect();
    let pixels = Img::new(pixels.as_slice(), image.width() as usize, image.height() as usize);
    let encoder = Encoder::new()
        .with_quality(f32::from(quality))
        .with_alpha_quality(f32::from(quality))
        .with_speed(SPEED)
        .with_num_threads(Some(1));
    let encoded = encoder.encode_rgba(pixels).map_err(|_| RenderError::Unreadable)?;
    Ok(encoded.avif_file)
}
