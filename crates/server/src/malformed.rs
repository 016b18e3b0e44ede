//! Requests that break the rules of HTTP, and that hyper lets pass. Two readers of such a request
//! may see two different requests in it, so nobody here reads it.

use http::{
    HeaderMap, Request, Version,
    header::{HOST, TRANSFER_ENCODING},
    uri::Authority,
};

use crate::refusal::Refusal;

/// Why such a request is refused; none for one that is in order. Hyper itself refuses lengths that
/// differ or are no numbers.
pub(crate) fn refusal<B>(request: &Request<B>) -> Option<Refusal> {
    host_fault(request).map(Refusal::Malformed).or_else(|| coding_fault(request.headers()))
}

/// What is wrong with the header `Host` (RFC 9112 section 3.2).
fn host_fault<B>(request: &Request<B>) -> Option<&'static str> {
    let mut hosts = request.headers().get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) if request.version() == Version::HTTP_11 => Some("The request has no Host header."),
        (Some(_), Some(_)) => Some("The request has more than one Host header."),
        (Some(host), None) if !is_host(host.as_bytes()) => Some("The Host header is not a host and a port."),
        _ => None,
    }
}

/// Nothing, or a host and perhaps a port.
fn is_host(host: &[u8]) -> bool {
    if host.is_empty() {
        return true;
    }
    let Ok(authority) = Authority::try_from(host) else { return false };
    let rest = authority.as_str().strip_prefix(authority.host());
    match rest.map(|rest| rest.strip_prefix(':').unwrap_or(rest)) {
        Some("") => true,
        Some(port) => port.parse::<u16>().is_ok() && port.bytes().all(|byte| byte.is_ascii_digit()),
        None => false,
    }
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
    use http::StatusCode;

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
        assert_eq!(status(Version::HTTP_10, &[]), None);
        assert_eq!(status(Version::HTTP_10, &[("host", "a"), ("host", "a")]), bad);
        for host in ["", "localhost", "127.0.0.1:54321", "[::1]:54321", "a.example:", "x_y.example"] {
            assert_eq!(status(Version::HTTP_11, &[("host", host)]), None, "{host}");
        }
        for host in ["a b", "a/b", "u@a.example", "a:b", "a:1:2", "a, b", "a:+1", "[::1", "a?b", "http://a"] {
            assert_eq!(status(Version::HTTP_11, &[("host", host)]), bad, "{host}");
        }
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
