//! `/upload/resumable` and `/upload/resumable/sign`: TUS 1.0.0 (CONTRACT.md T01 to T12).
//!
//! Both have the same methods. Below `sign` the header `x-signature`, with the token of an upload
//! URL, takes the place of the caller's token.

/// `OPTIONS`: what the service can do.
mod options;

/// `POST`: begins an upload.
mod post;

/// `HEAD`: how far an upload is.
mod head;

/// `PATCH`: sends bytes.
mod patch;

/// `DELETE`: gives an upload up.
mod delete;

/// One request of TUS.
mod request;

/// Who may write to an upload.
mod access;

/// Where an upload can be reached.
mod location;

use banyan_web::Body;
use http::{HeaderMap, Method, Response};
use request::TusRequest;

use crate::{
    context::Exchange,
    error::{StorageError, TusRefusal},
    wire::tus::{METHOD_OVERRIDE, TUS_RESUMABLE, VERSION, tus_error},
};

/// Answers a request below `/upload`; `path` is what follows it. Errors are answers in plain text.
pub(crate) async fn answer(exchange: Exchange, path: &[&str]) -> Response<Body> {
    routed(exchange, path).await.unwrap_or_else(|error| tus_error(&error))
}

async fn routed(exchange: Exchange, path: &[&str]) -> Result<Response<Body>, StorageError> {
    let method = method(&exchange.parts.method, &exchange.parts.headers);
    let route = Route::of(path).filter(|route| route.takes(&method)).ok_or_else(|| {
        StorageError::NoRoute(exchange.parts.method.clone(), exchange.parts.uri.path().to_owned())
    })?;
    let exchange = exchange.doing(operation(&method, route.is_signed));
    if method == Method::OPTIONS {
        return Ok(options::options(&exchange));
    }
    check_version(&exchange.parts.headers)?;
    match (method, route.id) {
        (_, None) => post::post(exchange, route.is_signed).await,
        (Method::HEAD, Some(id)) => head::head(TusRequest::of(exchange, route.is_signed, id)?).await,
        (Method::DELETE, Some(id)) => delete::delete(TusRequest::of(exchange, route.is_signed, id)?).await,
        (_, Some(id)) => patch::patch(TusRequest::of(exchange, route.is_signed, id)?).await,
    }
}

/// What a path below `/upload` names.
#[derive(Debug, PartialEq, Eq)]
struct Route<'a> {
    is_signed: bool,
    id: Option<&'a str>,
}

impl<'a> Route<'a> {
    fn of(path: &[&'a str]) -> Option<Self> {
        match *path.strip_suffix(&[""]).unwrap_or(path) {
            ["resumable"] => Some(Self { is_signed: false, id: None }),
            ["resumable", "sign"] => Some(Self { is_signed: true, id: None }),
            ["resumable", "sign", id] => Some(Self { is_signed: true, id: Some(id) }),
            ["resumable", id] => Some(Self { is_signed: false, id: Some(id) }),
            _ => None,
        }
    }

    fn takes(&self, method: &Method) -> bool {
        match *method {
            Method::OPTIONS => true,
            Method::POST => self.id.is_none(),
            Method::HEAD | Method::PATCH | Method::DELETE => self.id.is_some(),
            _ => false,
        }
    }
}

/// The method that is meant: clients that cannot send `PATCH` or `DELETE` name it in a header.
fn method(sent: &Method, headers: &HeaderMap) -> Method {
    match headers.get(METHOD_OVERRIDE).map(http::HeaderValue::as_bytes) {
        Some(b"PATCH") if sent == Method::POST => Method::PATCH,
        Some(b"DELETE") if sent == Method::POST => Method::DELETE,
        _ => sent.clone(),
    }
}

fn check_version(headers: &HeaderMap) -> Result<(), TusRefusal> {
    let is_spoken = headers.get(TUS_RESUMABLE).is_some_and(|version| version == VERSION);
    if is_spoken { Ok(()) } else { Err(TusRefusal::NoVersion) }
}

/// What policies read by `storage.operation()` (CONTRACT.md R08).
fn operation(method: &Method, is_signed: bool) -> &'static str {
    match (method, is_signed) {
        (&Method::OPTIONS, false) => "storage.tus.options",
        (&Method::OPTIONS, true) => "storage.tus.options_signed",
        (&Method::POST, false) => "storage.tus.upload.create",
        (&Method::POST, true) => "storage.tus.upload.create_signed",
        (&Method::HEAD, false) => "storage.tus.upload.get",
        (&Method::HEAD, true) => "storage.tus.upload.get_signed",
        (&Method::DELETE, false) => "storage.tus.upload.delete",
        (&Method::DELETE, true) => "storage.tus.upload.delete_signed",
        (_, false) => "storage.tus.upload.part",
        (_, true) => "storage.tus.upload.part_signed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: C01 T09
    #[test]
    fn a_path_names_an_upload_or_all_of_them() {
        let route = |is_signed, id| Some(Route { is_signed, id });
        for (path, named) in [
            ("resumable", route(false, None)),
            ("resumable/", route(false, None)),
            ("resumable/sign", route(true, None)),
            ("resumable/sign/", route(true, None)),
            ("resumable/YQ", route(false, Some("YQ"))),
            ("resumable/sign/YQ", route(true, Some("YQ"))),
            ("resumable/YQ/", route(false, Some("YQ"))),
            ("resumable/a/b", None),
            ("resumable/sign/a/b", None),
            ("resumables", None),
            ("", None),
        ] {
            assert_eq!(Route::of(&path.split('/').collect::<Vec<_>>()), named, "{path}");
        }
    }
}
