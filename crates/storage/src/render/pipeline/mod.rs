//! From the bytes of a source to the bytes of the result, in one thread.

use bytes::Bytes;

use super::{
    colours, decode, encode, error::RenderError, geometry, options::RenderOptions, output::Preference, resize,
};

/// Renders an image in at most `memory` bytes. A drawing in SVG stays as it is.
pub(super) fn render(
    source: &Bytes,
    options: &RenderOptions,
    preference: Preference,
    memory: u64,
) -> Result<Bytes, RenderError> {
    if is_svg(source) {
        return Ok(source.clone());
    }
    let source = decode::decode(source, memory)?;
    let geometry = geometry::plan(source.shown_size(), options);
    let gravity = options.gravity.unwrap_or_default();
    let (format, profile) = (source.format, source.colour_profile);
    let image = resize::resize(source.image, source.orientation, geometry, &gravity)?;
    let image = colours::in_srgb(image, profile.as_deref());
    let output = preference.output(format, image.color().has_alpha());
    encode::encode(&image, output, options.quality).map(Bytes::from)
}

/// The media type of a result, by its first bytes.
pub(super) fn media_type(result: &[u8]) -> &'static str {
    image::guess_format(result).map_or("image/svg+xml", |format| format.to_mime_type())
}

/// Whether a text begins as a drawing in SVG does, after a declaration and comments.
fn is_svg(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(1024)];
    let text = String::from_utf8_lossy(start);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    text.starts_with("<svg")
        || (["<?xml", "<!--", "<!DOCTYPE svg"].iter().any(|start| text.starts_with(start))
            && text.contains("<svg"))
}

#[cfg(test)]
mod tests;
