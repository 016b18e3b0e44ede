//! The stack's rules: pages of any origin read the answers (CONTRACT.md GW-CORS, GW-PREFLIGHT).

use http::{
    HeaderMap, HeaderName, HeaderValue,
    header::{
        ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
        ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE,
        ACCESS_CONTROL_REQUEST_HEADERS, VARY,
    },
};

pub(super) const METHODS: &str = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";
const DEFAULT_HEADERS: &str = "authorization, apikey, content-type, x-client-info, x-region, prefer, range";
pub(super) const EXPOSED: &str = "content-range, content-location, location, link, x-total-count, preference-applied, \
    x-supabase-api-version, x-request-id, sb-request-id, sb-error-code, x-sb-error-code, \
    x-sb-execution-id, x-sb-redirect-refused, x-relay-error, retry-after, etag, accept-ranges, \
    content-disposition, x-transformations, tus-resumable, tus-version, tus-extension, tus-max-size, \
    tus-complete, upload-offset, upload-length, upload-defer-length, upload-metadata, upload-expires";
/// Headers asked for beyond this many bytes are not echoed.
const LONGEST_REQUEST_HEADERS: usize = 4096;

/// Every method, and the headers that were asked for.
pub(super) fn answer_preflight(request: &HeaderMap, answer: &mut HeaderMap) {
    let asked = request.get(ACCESS_CONTROL_REQUEST_HEADERS);
    let asked = asked.filter(|value| value.len() <= LONGEST_REQUEST_HEADERS).cloned();
    let allowed = asked.unwrap_or(HeaderValue::from_static(DEFAULT_HEADERS));
    answer.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(METHODS));
    answer.insert(ACCESS_CONTROL_ALLOW_HEADERS, allowed);
    answer.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
    answer.insert(VARY, HeaderValue::from_static("access-control-request-headers"));
}

/// What a function set itself is kept, so that no header appears twice.
pub(super) fn allow(answer: &mut HeaderMap) {
    let mut set = |name: HeaderName, value: &'static str| {
        answer.entry(name).or_insert(HeaderValue::from_static(value));
    };
    set(ACCESS_CONTROL_ALLOW_ORIGIN, "*");
    set(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
}

pub(super) fn allow_cookies(answer: &mut HeaderMap, origin: &HeaderValue) {
    answer.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
    answer.insert(ACCESS_CONTROL_ALLOW_CREDENTIALS, HeaderValue::from_static("true"));
    answer.append(VARY, HeaderValue::from_static("origin"));
}
