//! What a resumable upload refuses.

/// A refusal of TUS, with the status and the words of the reference (CONTRACT.md T07).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TusRefusal {
    #[error("Tus-Resumable Required\n")]
    NoVersion,
    /// The name of a header that cannot be read.
    #[error("Invalid {0}\n")]
    InvalidHeader(&'static str),
    #[error("Upload-Length or Upload-Defer-Length header required\n")]
    NoLength,
    #[error("Concatenation extension is not (yet) supported. Disable parallel uploads in the tus client.\n")]
    Concatenation,
    #[error("Invalid Upload-Metadata header")]
    InvalidMetadata,
    #[error("Content-Type header must be application/offset+octet-stream\n")]
    ContentType,
    #[error("Upload-Offset header required\n")]
    NoOffset,
    #[error("Upload-Offset conflict\n")]
    OffsetConflict,
    #[error("The file for this url was not found\n")]
    NoUpload,
    #[error("The file for this url no longer exists\n")]
    Expired,
    /// More bytes than the length that was declared.
    #[error("upload's size exceeded\n")]
    LengthExceeded,
    /// More bytes than the bucket or the service takes.
    #[error("Maximum size exceeded\n")]
    LimitExceeded,
    #[error("Cannot terminate an already completed upload")]
    Finished,
    /// A newer request writes to the upload (CONTRACT.md T11).
    #[error("Request aborted since a newer request continues the upload")]
    Superseded,
}

impl TusRefusal {
    /// Its status.
    pub(crate) fn status(&self) -> u16 {
        match self {
            Self::NoVersion => 412,
            Self::InvalidHeader(_)
            | Self::NoLength
            | Self::InvalidMetadata
            | Self::Finished
            | Self::Superseded => 400,
            Self::Concatenation => 501,
            Self::ContentType => 415,
            Self::NoOffset => 403,
            Self::OffsetConflict => 409,
            Self::NoUpload => 404,
            Self::Expired => 410,
            Self::LengthExceeded | Self::LimitExceeded => 413,
        }
    }
}
