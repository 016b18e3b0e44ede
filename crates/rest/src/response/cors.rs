//! Cross-origin rules of the service if it runs alone (CONTRACT.md Y05 to Y08). In front of several
//! services the gateway has rules of its own.

use http::{
    HeaderMap, HeaderValue, Method,
    header::{
        ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
        ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE,
        ACCESS_CONTROL_REQUEST_HEADERS, ACCESS_CONTROL_REQUEST_METHOD, ORIGIN,
    },
};

const METHODS: &str = "GET, POST, PATCH, PUT, DELETE, OPTIONS, HEAD";
const EXPOSED: &str = "Content-Encoding, Content-Location, Content-Range, Content-Type, Date, Location, Server, \
                       Transfer-Encoding, Range-Unit";

/// The role of a request in a browser's rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cors {
    /// It names no origin, or one that is not allowed: it is served without any of these headers.
    Plain,
    /// A preflight: answered with 200 and these headers only, for every caller.
    Preflight(HeaderMap),
    /// An actual request: its answer carries these headers.
    Actual(HeaderMap),
}

/// The cross-origin headers for a request; no list of `allowed` origins allows every one.
#[must_use]
pub fn of(method: &Method, request: &HeaderMap, allowed: Option<&[String]>) -> Cors {
    let Some(origin) = request.get(ORIGIN) else { return Cors::Plain };
    let Some(mut headers) = origin_headers(origin, allowed) else { return Cors::Plain };
    if method == Method::OPTIONS && request.contains_key(ACCESS_CONTROL_REQUEST_METHOD) {
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(METHODS));
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, allowed_headers(request));
        headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
        return Cors::Preflight(headers);
    }
    headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
    Cors::Actual(headers)
}

/// Any origin without credentials, or the one that is on the list with them.
fn origin_headers(origin: &HeaderValue, allowed: Option<&[String]>) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    match allowed {
        None => headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*")),
        Some(list) => {
            list.iter().find(|it| it.as_bytes() == origin.as_bytes())?;
            headers.insert(ACCESS_CONTROL_ALLOW_CREDENTIALS, HeaderValue::from_static("true"));
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone())
        }
    };
    Some(headers)
}

fn allowed_headers(request: &HeaderMap) -> HeaderValue {
    let asked = request.get(ACCESS_CONTROL_REQUEST_HEADERS).and_then(|value| value.to_str().ok());
    let asked = asked.into_iter().flat_map(|names| names.split(',')).map(str::trim);
    let names = std::iter::once("Authorization").chain(asked.filter(|name| !name.is_empty()));
    let names: Vec<&str> = names.chain(["Accept", "Accept-Language", "Content-Language"]).collect();
    HeaderValue::from_str(&names.join(", ")).unwrap_or_else(|_| HeaderValue::from_static("Authorization"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(headers: &[(&'static str, &'static str)]) -> HeaderMap {
        let pairs = headers
            .iter()
            .map(|(name, value)| (http::HeaderName::from_static(name), HeaderValue::from_static(value)));
        pairs.collect()
    }

    // rows: Y05 Y06
    #[test]
    fn a_preflight_from_anywhere_allows_what_was_asked_for() {
        let asks = request(&[
            ("origin", "https://school.example"),
            ("access-control-request-method", "POST"),
            ("access-control-request-headers", "apikey, X-Client-Info,content-type"),
        ]);
        let Cors::Preflight(headers) = of(&Method::OPTIONS, &asks, None) else { panic!("no preflight") };
        assert_eq!(headers[ACCESS_CONTROL_ALLOW_ORIGIN], "*");
        assert_eq!(headers[ACCESS_CONTROL_ALLOW_METHODS], "GET, POST, PATCH, PUT, DELETE, OPTIONS, HEAD");
        assert_eq!(
            headers[ACCESS_CONTROL_ALLOW_HEADERS],
            "Authorization, apikey, X-Client-Info, content-type, Accept, Accept-Language, Content-Language"
        );
        assert_eq!(headers[ACCESS_CONTROL_MAX_AGE], "86400");
        assert!(!headers.contains_key(ACCESS_CONTROL_ALLOW_CREDENTIALS));
        assert!(!headers.contains_key(ACCESS_CONTROL_EXPOSE_HEADERS));
        let plain = request(&[("origin", "https://school.example")]);
        assert!(
            matches!(of(&Method::OPTIONS, &plain, None), Cors::Actual(_)),
            "OPTIONS by itself is no preflight"
        );
    }

    // rows: Y07
    #[test]
    fn only_listed_origins_are_allowed_and_with_credentials() {
        let list = vec!["https://school.example".to_owned(), "https://other.example".to_owned()];
        let listed = request(&[("origin", "https://other.example")]);
        let Cors::Actual(headers) = of(&Method::GET, &listed, Some(&list)) else { panic!("not allowed") };
        assert_eq!(headers[ACCESS_CONTROL_ALLOW_ORIGIN], "https://other.example");
        assert_eq!(headers[ACCESS_CONTROL_ALLOW_CREDENTIALS], "true");
        for stranger in ["https://school.example.evil", "http://school.example"] {
            let unlisted = request(&[("origin", stranger), ("access-control-request-method", "GET")]);
            assert_eq!(of(&Method::GET, &unlisted, Some(&list)), Cors::Plain, "{stranger}");
            assert_eq!(of(&Method::OPTIONS, &unlisted, Some(&list)), Cors::Plain, "{stranger}");
        }
    }

    // rows: Y08
    #[test]
    fn actual_requests_expose_headers_to_scripts() {
        let Cors::Actual(headers) = of(&Method::GET, &request(&[("origin", "https://school.example")]), None)
        else {
            panic!("not allowed")
        };
        assert_eq!(headers[ACCESS_CONTROL_ALLOW_ORIGIN], "*");
        assert_eq!(
            headers[ACCESS_CONTROL_EXPOSE_HEADERS],
            "Content-Encoding, Content-Location, Content-Range, Content-Type, Date, Location, Server, \
             Transfer-Encoding, Range-Unit"
        );
        assert_eq!(of(&Method::GET, &HeaderMap::new(), None), Cors::Plain, "no origin, no headers");
    }
}
