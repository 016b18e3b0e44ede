use bytes::Bytes;
use http_body_util::{BodyExt, Empty, Full, combinators::UnsyncBoxBody};

/// Any error that a body can end in.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Body of a request or an answer.
pub type Body = UnsyncBoxBody<Bytes, BoxError>;

/// A body that is whole at once.
#[must_use]
pub fn full(bytes: impl Into<Bytes>) -> Body {
    Full::new(bytes.into()).map_err(|never| match never {}).boxed_unsync()
}

/// No body.
#[must_use]
pub fn empty() -> Body {
    Empty::new().map_err(|never| match never {}).boxed_unsync()
}
