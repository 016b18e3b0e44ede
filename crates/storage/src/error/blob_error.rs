//! Why a back end did not do it.

use super::StorageError;

/// Why a back end did not do it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BlobError {
    #[error("no such blob")]
    NotFound,
    #[error("no space left")]
    NoSpace,
    #[error("the folder of blobs: {0}")]
    Io(#[source] std::io::Error),
    #[error("the service of blobs: {0}")]
    Service(String),
    /// What the stream that was to be written says.
    #[error(transparent)]
    Source(Box<StorageError>),
}

impl From<std::io::Error> for BlobError {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::NotFound => Self::NotFound,
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Self::NoSpace,
            _ => Self::Io(error),
        }
    }
}
