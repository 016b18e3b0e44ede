//! Rendered images, at `/render/image`.
