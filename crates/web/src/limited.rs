use std::{error::Error, io};

use bytes::Bytes;
use http_body::Body as HttpBody;
use http_body_util::{BodyExt, LengthLimitError, Limited};

use crate::{Body, BoxError};

/// Why a body was not read to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BodyError {
    /// It has more bytes than a limit allows.
    #[error("the body is too large")]
    TooLarge,
    /// Its sender stopped early.
    #[error("the body ended early")]
    EndedEarly,
}

impl BodyError {
    /// Reads the error that a body ended in. The limit may be of any layer, which may have wrapped
    /// its error.
    #[must_use]
    pub fn of(error: &(dyn Error + 'static)) -> Self {
        let mut cause = Some(error);
        while let Some(error) = cause {
            if error.is::<LengthLimitError>() {
                return Self::TooLarge;
            }
            cause = wrapped_in(error);
        }
        Self::EndedEarly
    }
}

/// The error that another one wraps. The source of an `io::Error` is that of the error in it, so
/// the error in it is asked for.
fn wrapped_in<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(inner) => Some(inner),
        None => error.source(),
    }
}

/// Reads a whole body of at most `limit` bytes. Dropping the future drops what was read.
///
/// # Errors
/// [`BodyError::TooLarge`] also for a smaller limit that the body already has.
pub async fn read_body<B>(body: B, limit: usize) -> Result<Bytes, BodyError>
where
    B: HttpBody<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
{
    // Boxed: the compiler cannot see that a future over `Limited` itself is `Send`.
    let body: Body = Limited::new(body, limit).boxed_unsync();
    let whole = body.collect().await.map_err(|error| BodyError::of(&*error))?;
    Ok(whole.to_bytes())
}

#[cfg(test)]
mod tests {
    use std::{
        pin::Pin,
        task::{Context, Poll},
    };

    use http_body::Frame;

    use super::*;
    use crate::full;

    #[tokio::test]
    async fn a_body_is_read_up_to_its_limit() {
        assert_eq!(read_body(full("four"), 4).await.unwrap(), "four");
        assert_eq!(read_body(full("fours"), 4).await, Err(BodyError::TooLarge));
    }

    #[tokio::test]
    async fn a_limit_of_another_layer_is_known_though_its_error_is_wrapped() {
        let limited = Limited::new(full("fours"), 4).map_err(io::Error::other);
        assert_eq!(read_body(limited, 100).await, Err(BodyError::TooLarge));
    }

    #[tokio::test]
    async fn a_body_that_ends_early_is_not_too_large() {
        assert_eq!(read_body(Broken, 100).await, Err(BodyError::EndedEarly));
    }

    /// A body whose sender stopped.
    struct Broken;

    impl HttpBody for Broken {
        type Data = Bytes;
        type Error = io::Error;

        fn poll_frame(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
            Poll::Ready(Some(Err(io::ErrorKind::UnexpectedEof.into())))
        }
    }
}
