//! PostgREST's rules (rest/CONTRACT.md Y05 to Y08).

use http::{
    HeaderMap, HeaderValue,
    header::{
        ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
        ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE,
        ACCESS_CONTROL_REQUEST_HEADERS,
    },
};

const METHODS: &str = "GET, POST, PATCH, PUT, DELETE, OPTIONS, HEAD";
const EXPOSED: &str = "Content-Encoding, Content-Location, Content-Range, Content-Type, Date, Location, Server, \
                       Transfer-Encoding, Range-Unit";

pub(super) fn answer_preflight(request: &HeaderMap, answer: &mut HeaderMap) {
    answer.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(METHODS));
    answer.insert(ACCESS_CONTROL_ALLOW_HEADERS, allowed_headers(request));
    answer.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
}

pub(super) fn allow(answer: &mut HeaderMap, origin: &HeaderValue, allowed: Option<&[String]>) {
    if allow_origin(answer, origin, allowed).is_some() {
        answer.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
    }
}

/// Any origin without credentials, or one of the list with them. None for another origin.
pub(super) fn allow_origin(
    answer: &mut HeaderMap,
    origin: &HeaderValue,
    allowed: Option<&[String]>,
) -> Option<()> {
    let Some(list) = allowed else {
        answer.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        return Some(());
    };
    list.iter().find(|it| it.as_bytes() == origin.as_bytes())?;
    answer.insert(ACCESS_CONTROL_ALLOW_CREDENTIALS, HeaderValue::from_static("true"));
    answer.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
    Some(())
}

fn allowed_headers(request: &HeaderMap) -> HeaderValue {
    let asked = request.get(ACCESS_CONTROL_REQUEST_HEADERS).and_then(|value| value.to_str().ok());
    let asked = asked.into_iter().flat_map(|names| names.split(',')).map(str::trim);
    let names = std::iter::once("Authorization").chain(asked.filter(|name| !name.is_empty()));
    let names: Vec<&str> = names.chain(["Accept", "Accept-Language", "Content-Language"]).collect();
    HeaderValue::from_str(&names.join(", ")).unwrap_or_else(|_| HeaderValue::from_static("Authorization"))
}
