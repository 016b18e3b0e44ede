//! Why an image is not rendered (CONTRACT.md I06).

use std::sync::Arc;

use crate::{blobs::BlobError, error::StorageError};

/// Why an image is not rendered. Several requests may be told the same one.
#[derive(Debug, Clone)]
pub(crate) enum RenderError {
    /// It is no image, or of an unknown format, or damaged.
    Unreadable,
    /// The file is larger than sources may be.
    TooManyBytes,
    /// The image has more pixels than sources may have, or than there is memory for.
    TooManyPixels,
    /// Too many others wait.
    Busy,
    TimedOut,
    /// The bytes of the source could not be read.
    Source(Arc<BlobError>),
}

impl From<RenderError> for StorageError {
    fn from(error: RenderError) -> Self {
        let refused = |message: &str| Self::InvalidRequest(message.to_owned());
        match error {
            RenderError::Unreadable => refused("The image is damaged, or its format is not supported"),
            RenderError::TooManyBytes => refused("The file is too large to be rendered"),
            RenderError::TooManyPixels => refused("The image has too many pixels to be rendered"),
            RenderError::Busy => Self::SlowDown,
            RenderError::TimedOut => Self::RequestTimeout,
            RenderError::Source(error) => match &*error {
                BlobError::NotFound => Self::NoBytes,
                BlobError::NoSpace | BlobError::Io(_) | BlobError::Service(_) | BlobError::Source(_) => {
                    tracing::error!(%error, "storage: the source of an image could not be read");
                    Self::Internal("the source of an image could not be read")
                }
            },
        }
    }
}
