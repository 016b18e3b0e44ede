//! Rendered images (CONTRACT.md I01 to I08, B7).
//!
//! A render takes the bytes of an object and options, and makes an image of them: it decodes the
//! source by its content, resizes and crops it as imgproxy does, and encodes it. Options come from
//! the query, or from the token of a signed URL. What was rendered is kept in memory
//! for a while.
//!
//! Colours are resized as they are stored, without a detour through linear light. This is what
//! imgproxy does unless told otherwise. Of an animation the first frame is rendered.

/// Renders within bounds: a few at once, each result once, the last results kept.
mod renderer;

/// From the bytes of a source to the bytes of the result, in one thread.
mod pipeline;

/// The image as bytes: JPEG, PNG, WebP or AVIF.
mod encode;

/// From the pixels of the source to the pixels of the result.
mod resize;

/// Colours in sRGB, so that a result needs no colour profile.
mod colours;

/// The source as pixels.
mod decode;

/// Sizes and crops as imgproxy computes them.
mod geometry;

/// The type of the result.
mod output;

/// What a client may ask for.
mod options;

/// Why an image is not rendered.
mod error;

/// How often a path may be rendered.
mod rate;

pub(crate) use error::RenderError;
pub(crate) use options::RenderOptions;
pub(crate) use output::Preference;
pub(crate) use rate::RenderRate;
pub(crate) use renderer::{RenderJob, Renderer};
