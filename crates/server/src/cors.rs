//! Cross-origin rules of the services (CONTRACT.md GW-CORS): any origin, since tokens and not
//! cookies say who calls.

use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode,
    header::{
        ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
        ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE,
        ACCESS_CONTROL_REQUEST_HEADERS, ACCESS_CONTROL_REQUEST_METHOD, VARY,
    },
};

use crate::{Body, full};

const METHODS: &str = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";
const DEFAULT_HEADERS: &str = "authorization, apikey, content-type, x-client-info, x-region, prefer, range";
const EXPOSED: &str = "content-range, content-location, location, link, x-total-count, preference-applied, \
                       x-supabase-api-version, x-request-id, sb-request-id, sb-error-code, x-sb-error-code, \
                       x-sb-execution-id, x-sb-redirect-refused, x-relay-error, retry-after";
/// Headers asked for beyond this many bytes are not echoed.
const LONGEST_REQUEST_HEADERS: usize = 4096;

/// Whether the request is a preflight, which the gateway answers itself.
pub(crate) fn is_preflight<B>(request: &Request<B>) -> bool {
    request.method() == Method::OPTIONS && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

/// The answer to a preflight: every method, the headers that were asked for.
pub(crate) fn preflight(request: &HeaderMap) -> Response<Body> {
    let asked =
        request.get(ACCESS_CONTROL_REQUEST_HEADERS).filter(|value| value.len() <= LONGEST_REQUEST_HEADERS);
    let mut response = Response::new(full(""));
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(METHODS));
    headers.insert(
        ACCESS_CONTROL_ALLOW_HEADERS,
        asked.cloned().unwrap_or_else(|| HeaderValue::from_static(DEFAULT_HEADERS)),
    );
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
    headers.insert(VARY, HeaderValue::from_static("access-control-request-headers"));
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    response
}

/// Marks an answer as readable from any origin; what a function set itself is kept, so that no header appears twice.
pub(crate) fn open(headers: &mut HeaderMap) {
    let mut set = |name: HeaderName, value: &'static str| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    set(ACCESS_CONTROL_ALLOW_ORIGIN, "*");
    set(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
}

/// Lets the page that asks send its cookies and read the answer: what clients of auth expect
/// (auth/CONTRACT.md W7). Nothing of the stack is allowed by a cookie alone.
pub(crate) fn echo(headers: &mut HeaderMap, origin: Option<HeaderValue>) {
    let Some(origin) = origin else { return };
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(ACCESS_CONTROL_ALLOW_CREDENTIALS, HeaderValue::from_static("true"));
    headers.append(VARY, HeaderValue::from_static("origin"));
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: edge/C08 GW-PREFLIGHT
    #[test]
    fn a_preflight_echoes_the_headers_asked_for() {
        let mut headers = HeaderMap::new();
        headers.insert(ACCESS_CONTROL_REQUEST_HEADERS, HeaderValue::from_static("traceparent, x-region"));
        let response = preflight(&headers);
        assert_eq!(response.status(), StatusCode::NO_CONTENT);
        assert_eq!(response.headers()[ACCESS_CONTROL_ALLOW_HEADERS], "traceparent, x-region");
    }

    // rows: auth/W7 auth/E1 GW-CORS GW-EXPOSED
    #[test]
    fn clients_of_auth_may_send_cookies_and_read_what_they_need() {
        let mut asked = HeaderMap::new();
        let wanted = "authorization, content-type, x-client-info, x-supabase-api-version, x-jwt-aud, x-use-cookie, apikey";
        asked.insert(ACCESS_CONTROL_REQUEST_HEADERS, HeaderValue::from_static(wanted));
        let mut response = preflight(&asked);
        open(response.headers_mut());
        echo(response.headers_mut(), Some(HeaderValue::from_static("https://app.example")));
        let headers = response.headers();
        assert_eq!(headers[ACCESS_CONTROL_ALLOW_ORIGIN], "https://app.example");
        assert_eq!(headers[ACCESS_CONTROL_ALLOW_CREDENTIALS], "true");
        assert_eq!(headers[ACCESS_CONTROL_ALLOW_HEADERS], wanted);
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] {
            assert!(METHODS.contains(method), "{method}");
        }
        for exposed in
            ["x-total-count", "link", "x-supabase-api-version", "x-sb-error-code", "x-sb-redirect-refused"]
        {
            assert!(EXPOSED.contains(exposed), "{exposed}");
        }
        assert!(headers.contains_key(ACCESS_CONTROL_MAX_AGE) && headers.get_all(VARY).iter().count() == 2);
    }

    // rows: edge/F06 GW-CORS
    #[test]
    fn a_header_the_function_set_is_not_repeated() {
        let mut headers = HeaderMap::new();
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("https://school.example"));
        open(&mut headers);
        let all: Vec<_> = headers.get_all(ACCESS_CONTROL_ALLOW_ORIGIN).iter().collect();
        assert_eq!(all, ["https://school.example"]);
    }
}
