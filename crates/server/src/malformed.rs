//! Requests that break the rules of HTTP, and that hyper lets pass. Two readers of such a request
//! may see two different requests in it, so nobody here reads it.

use banyan_web::host_fault;
use http::{HeaderMap, Request, header::TRANSFER_ENCODING};

use crate::refusal::Refusal;

/// Why such a request is refused; none for one that is in order. Hyper itself refuses lengths that
/// differ or are no numbers.
pub(crate) fn refusal<B>(request: &Request<B>) -> Option<Refusal> {
    let host = host_fault(request.version(), request.headers());
    host.map(Refusal::Malformed).or_else(|| coding_fault(request.headers()))
}

/// What is wrong with the header `Transfer-Encoding`: `chunked` alone, and once, is understood (RFC
/// 9112 section 6.1).
fn coding_fault(headers: &HeaderMap) -> Option<Refusal> {
    let all = headers.get_all(TRANSFER_ENCODING).iter();
    let mut codings = all.flat_map(|value| value.as_bytes().split(|byte| *byte == b','));
    let is_chunked = |coding: &[u8]| coding.trim_ascii().eq_ignore_ascii_case(b"chunked");
    match (codings.next(), codings.next()) {
        (None, _) => None,
        (Some(coding), None) if is_chunked(coding) => None,
        (Some(first), rest) if is_chunked(first) && rest.is_none_or(is_chunked) => {
            Some(Refusal::Malformed("The request's body is in chunks of chunks."))
        }
        _ => Some(Refusal::UnknownCoding),
    }
}

#[cfg(test)]
mod tests {
    use http::{StatusCode, Version};

    use super::*;

    fn status(version: Version, headers: &[(&'static str, &str)]) -> Option<StatusCode> {
        let mut request = Request::builder().version(version);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        refusal(&request.body(()).unwrap()).map(|refusal| refusal.response().status())
    }

    // rows: GW-HTTP
    #[test]
    fn a_request_without_one_valid_host_is_refused() {
        let bad = Some(StatusCode::BAD_REQUEST);
        assert_eq!(status(Version::HTTP_11, &[]), bad);
        assert_eq!(status(Version::HTTP_11, &[("host", "a/b")]), bad);
        assert_eq!(status(Version::HTTP_11, &[("host", "localhost")]), None);
    }

    // rows: GW-HTTP
    #[test]
    fn chunked_alone_and_once_is_understood() {
        let coded = |codings: &[&str]| {
            let codings = codings.iter().map(|coding| ("transfer-encoding", *coding));
            status(Version::HTTP_11, &codings.chain([("host", "a")]).collect::<Vec<_>>())
        };
        assert_eq!(coded(&["chunked"]), None);
        assert_eq!(coded(&["Chunked "]), None);
        assert_eq!(coded(&["chunked, chunked"]), Some(StatusCode::BAD_REQUEST));
        assert_eq!(coded(&["chunked", "chunked"]), Some(StatusCode::BAD_REQUEST));
        assert_eq!(coded(&["gzip, chunked"]), Some(StatusCode::NOT_IMPLEMENTED));
    }
}
