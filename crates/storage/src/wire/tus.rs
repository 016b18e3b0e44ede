//! Headers and answers of TUS 1.0.0.

use super::log_internal;
use crate::error::{StorageError, TusRefusal};
use banyan_web::{Body, empty, full};
use http::{
    HeaderMap, HeaderValue, Response, StatusCode,
    header::{CONTENT_LENGTH, CONTENT_TYPE},
};

pub(crate) const TUS_RESUMABLE: &str = "tus-resumable";
pub(crate) const TUS_VERSION: &str = "tus-version";
pub(crate) const TUS_EXTENSION: &str = "tus-extension";
pub(crate) const TUS_MAX_SIZE: &str = "tus-max-size";
pub(crate) const TUS_COMPLETE: &str = "tus-complete";
pub(crate) const UPLOAD_OFFSET: &str = "upload-offset";
pub(crate) const UPLOAD_LENGTH: &str = "upload-length";
pub(crate) const UPLOAD_DEFER_LENGTH: &str = "upload-defer-length";
pub(crate) const UPLOAD_METADATA: &str = "upload-metadata";
pub(crate) const UPLOAD_EXPIRES: &str = "upload-expires";
pub(crate) const UPLOAD_CONCAT: &str = "upload-concat";
pub(crate) const SIGNATURE: &str = "x-signature";
pub(crate) const METHOD_OVERRIDE: &str = "x-http-method-override";

/// The version of the protocol.
pub(crate) const VERSION: HeaderValue = HeaderValue::from_static("1.0.0");

/// An answer without a body.
pub(crate) fn tus_answer(status: StatusCode) -> Response<Body> {
    let mut answer = Response::new(empty());
    *answer.status_mut() = status;
    answer.headers_mut().insert(TUS_RESUMABLE, VERSION);
    answer
}

/// The answer that tells an error: its text, with its real status (CONTRACT.md T07, E02).
pub(crate) fn tus_error(error: &StorageError) -> Response<Body> {
    let too_large = StorageError::Tus(TusRefusal::LimitExceeded);
    let error = if matches!(error, StorageError::EntityTooLarge) { &too_large } else { error };
    log_internal(error);
    let mut answer = tus_answer(error.wire().status);
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    if matches!(error, StorageError::Tus(TusRefusal::NoVersion)) {
        headers.insert(TUS_VERSION, VERSION);
    }
    *answer.body_mut() = full(error.to_string());
    answer
}

/// The value of a header; none if it is no text.
pub(crate) fn header_text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// A number of bytes in a header.
///
/// # Errors
/// `InvalidHeader` for anything but digits.
pub(crate) fn header_number(headers: &HeaderMap, name: &'static str) -> Result<Option<u64>, TusRefusal> {
    let Some(value) = headers.get(name) else { return Ok(None) };
    let digits = value.to_str().ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    // PostgreSQL counts up to here.
    let number = digits.and_then(|text| text.parse().ok()).filter(|number| *number <= i64::MAX as u64);
    number.map(Some).ok_or(TusRefusal::InvalidHeader(name))
}

/// Whether a request says that its body is bytes of an upload.
pub(crate) fn has_bytes(headers: &HeaderMap) -> bool {
    headers.get(CONTENT_TYPE).is_some_and(|value| value == "application/offset+octet-stream")
}

/// Bytes of the body; 0 where the request does not tell.
pub(crate) fn content_length(headers: &HeaderMap) -> u64 {
    header_text(headers, CONTENT_LENGTH.as_str()).and_then(|length| length.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: T07
    #[test]
    fn numbers_are_digits() {
        let read = |text: &'static str| {
            let headers = HeaderMap::from_iter([(
                http::HeaderName::from_static(UPLOAD_OFFSET),
                HeaderValue::from_static(text),
            )]);
            header_number(&headers, UPLOAD_OFFSET)
        };
        assert_eq!(header_number(&HeaderMap::new(), UPLOAD_OFFSET), Ok(None));
        assert_eq!(read("0"), Ok(Some(0)));
        assert_eq!(read("9223372036854775807"), Ok(Some(i64::MAX as u64)));
        for text in ["", "-1", "+1", "1.0", "1e3", "0x1", " 1", "9223372036854775808", "99999999999999999999"]
        {
            assert_eq!(read(text), Err(TusRefusal::InvalidHeader(UPLOAD_OFFSET)), "{text}");
        }
    }
}
