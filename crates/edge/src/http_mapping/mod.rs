//! Headers and bodies of requests and answers, between HTTP and WASI (CONTRACT.md T01 to T09).

/// Bodies that end in an error if their next piece takes too long.
pub(crate) mod idle_timeout;

use std::{
    pin::Pin,
    sync::{Arc, OnceLock},
    task::{Context, Poll, ready},
};

use banyan_config::Function;
use banyan_web::{Body, BodyError, BoxError, empty};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, header};
use http_body::{Body as HttpBody, Frame, SizeHint};
use http_body_util::{BodyExt, Limited};
use wasmtime_wasi_http::{Error, WasiBody, p2::body::HyperOutgoingBody};

use self::idle_timeout::IdleTimeoutBody;
use crate::{error::HostError, outcome::InvocationOutcome};

/// Hop-by-hop headers besides those that `Connection` names (F10).
const HOP_BY_HOP: [HeaderName; 8] = [
    header::CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
];

/// The error that a guest sees when it reads a body.
pub(crate) fn to_guest_error(error: BoxError) -> Error {
    if BodyError::of(&*error) == BodyError::TooLarge {
        return Error::HttpRequestBodySize(None);
    }
    match error.downcast::<Error>() {
        Ok(error) => *error,
        Err(_) => Error::ConnectionTerminated,
    }
}

/// What is wrong with the request's body, by fault of the client: it is larger than allowed, no
/// more of it came, or it broke off.
#[derive(Debug, Clone, Default)]
pub(crate) struct BodyFault(Arc<OnceLock<HostError>>);

impl BodyFault {
    /// The answer to the fault, even if the function answered.
    pub(crate) fn answer(&self) -> Option<HostError> {
        self.0.get().copied()
    }

    fn note(&self, fault: HostError) {
        // The first fault ends the body.
        let _ = self.0.set(fault);
    }
}

/// The request as the function sees it: only end-to-end headers, without internal ones (T01). The
/// body ends in an error if it is larger than the function allows, or if it does not go on for too
/// long.
pub(crate) fn to_guest_request(request: Request<Body>, policy: &Function) -> (Request<WasiBody>, BodyFault) {
    let (mut parts, body) = request.into_parts();
    strip_hop_by_hop(&mut parts.headers);
    parts.headers.remove(header::UPGRADE);
    let internal: Vec<HeaderName> = parts.headers.keys().filter(|name| is_internal(name)).cloned().collect();
    for name in internal {
        parts.headers.remove(name);
    }
    if parts.uri.authority().is_none() && !is_readable(parts.headers.get(header::HOST)) {
        parts.headers.insert(header::HOST, HeaderValue::from_static("localhost"));
    }
    let fault = BodyFault::default();
    let (broken, late) = (fault.clone(), fault.clone());
    let most = policy.max_body.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
    let body = Limited::new(body, most).map_err(move |error: BoxError| {
        broken.note(match BodyError::of(&*error) {
            BodyError::TooLarge => HostError::BodyTooLarge,
            BodyError::EndedEarly => HostError::BodyBroken,
        });
        to_guest_error(error)
    });
    let body = IdleTimeoutBody::new(body, policy.body_idle, move || {
        late.note(HostError::BodyTimeout);
        Error::ConnectionReadTimeout
    });
    (Request::from_parts(parts, body.boxed_unsync()), fault)
}

fn is_internal(name: &HeaderName) -> bool {
    name.as_str().starts_with("x-sb-") || name.as_str() == "sb-api-key"
}

fn is_readable(value: Option<&HeaderValue>) -> bool {
    value.is_some_and(|value| value.to_str().is_ok())
}

/// Removes headers that belong to one connection. Headers of the gateway are end-to-end, even if a
/// client's `Connection` names them (T01, J03).
fn strip_hop_by_hop(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .filter(|name| *name != header::UPGRADE && !is_gateway_header(name))
        .collect();
    for name in HOP_BY_HOP.iter().chain(&named) {
        headers.remove(name);
    }
}

fn is_gateway_header(name: &HeaderName) -> bool {
    let name = name.as_str();
    name.starts_with("x-forwarded-")
        || ["authorization", "host", "sb-request-id", "x-request-id"].contains(&name)
}

/// What of a request its answer depends on.
pub(crate) struct ResponseContext {
    pub(crate) method: Method,
    pub(crate) execution_id: HeaderValue,
}

/// The answer as the client sees it. Its body ends in an error if the function fails half-way
/// (E03).
///
/// # Errors
/// [`HostError::InvalidStatus`] for a status outside 200 to 599.
pub(crate) fn to_client_response(
    response: Response<HyperOutgoingBody>,
    context: &ResponseContext,
    outcome: InvocationOutcome,
) -> Result<Response<Body>, HostError> {
    let (mut parts, body) = response.into_parts();
    if !(200..=599).contains(&parts.status.as_u16()) {
        return Err(HostError::InvalidStatus);
    }
    let headers = &mut parts.headers;
    strip_hop_by_hop(headers);
    for forged in ["x-relay-error", "sb-error-code"] {
        headers.remove(forged);
    }
    if parts.status.is_server_error() {
        headers.insert("sb-error-code", HeaderValue::from_static("EDGE_FUNCTION_ERROR"));
    }
    if context.method == Method::GET && is_html(headers) {
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    }
    if parts.status == StatusCode::NO_CONTENT {
        headers.remove(header::CONTENT_LENGTH);
    }
    headers.insert("x-sb-execution-id", context.execution_id.clone());
    let bodiless = context.method == Method::HEAD
        || matches!(parts.status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED);
    let remaining = content_length(&parts.headers);
    let body = if bodiless { no_body(body) } else { GuestBody { body, remaining, outcome }.boxed_unsync() };
    Ok(Response::from_parts(parts, body))
}

/// Bytes of the body, if the function says so.
fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn is_html(headers: &HeaderMap) -> bool {
    headers.get(header::CONTENT_TYPE).is_some_and(|value| value.as_bytes().starts_with(b"text/html"))
}

/// Sends no body. The function may still write one, and sees no error (T06).
fn no_body(body: HyperOutgoingBody) -> Body {
    tokio::spawn(idle_timeout::drain(body));
    empty()
}

/// A guest's body. It tells a proper end from the end of a failed instance, and notes when the
/// client leaves.
struct GuestBody {
    body: HyperOutgoingBody,
    /// Bytes still to come, if known. No reader asks for more than these.
    remaining: Option<u64>,
    outcome: InvocationOutcome,
}

impl Drop for GuestBody {
    fn drop(&mut self) {
        if self.remaining != Some(0) {
            self.outcome.client_left();
        }
    }
}

impl HttpBody for GuestBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        self.remaining = match &frame {
            Some(Ok(frame)) => {
                let length = frame.data_ref().map_or(0, Bytes::len) as u64;
                self.remaining.map(|remaining| remaining.saturating_sub(length))
            }
            Some(Err(_)) | None => Some(0),
        };
        Poll::Ready(match frame {
            Some(frame) => Some(frame.map_err(Into::into)),
            None if self.outcome.cut_the_body() => {
                Some(Err("the function ended before its answer did".into()))
            }
            None => None,
        })
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
