//! `GET /websocket`: checks a request and opens a socket (CONTRACT.md C1 to C8).

use std::{sync::Arc, time::Instant};

use banyan_identity::{Caller, Credentials, Identified, Proof};
use banyan_web::{Body, empty, json_response, query_parameter};
use base64::{Engine, engine::general_purpose::STANDARD};
use http::{
    HeaderMap, HeaderValue, Response, StatusCode, Uri,
    header::{CONNECTION, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE},
};
use hyper::upgrade::OnUpgrade;
use serde_json::{Map, Value, json};
use tokio::sync::OwnedSemaphorePermit;

use crate::{
    context::{OpenSocket, Opening, ServiceContext, SocketContext},
    error::HandshakeError,
    outbox::Outbox,
    patience::Patience,
    protocol::Version,
    socket::{self, Socket},
    tokens,
};

/// What the answer to a key is made with (RFC 6455 1.3).
const GUID: &[u8] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// Opens a socket, or says why not.
pub(crate) async fn open(
    service: &Arc<ServiceContext>,
    patience: Patience,
    mut opening: Opening,
) -> Response<Body> {
    match check(service, &mut opening) {
        Ok(checked) => upgrade(service, patience, opening, checked),
        Err(error) => {
            tokio::time::sleep(service.limits.settings.refusal_delay).await;
            refusal(&error)
        }
    }
}

/// A request that opens a socket.
struct Checked {
    caller: Caller,
    version: Version,
    on_upgrade: OnUpgrade,
    accept: HeaderValue,
    permit: OwnedSemaphorePermit,
}

fn check(service: &ServiceContext, opening: &mut Opening) -> Result<Checked, HandshakeError> {
    let (headers, uri) = (opening.request.headers(), opening.request.uri());
    let limits = &service.limits;
    if length(headers) > limits.settings.max_header_length {
        return Err(HandshakeError::Headers);
    }
    let version = Version::of(query_parameter(uri, "vsn").as_deref()).ok_or(HandshakeError::Version)?;
    let caller = caller(&opening.caller, headers, uri, opening.now)?;
    let accept = accept(headers).ok_or(HandshakeError::NoWebsocket)?;
    if limits.joins.is_exceeded(Instant::now()) {
        return Err(HandshakeError::TooManyJoins);
    }
    let permit = limits.socket().ok_or(HandshakeError::TooManySockets)?;
    let on_upgrade = opening.request.extensions_mut().remove().ok_or(HandshakeError::NoWebsocket)?;
    Ok(Checked { caller, version, on_upgrade, accept, permit })
}

/// Bytes of the headers, as they came.
fn length(headers: &HeaderMap) -> usize {
    headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum()
}

/// Who asks, by headers and query (CONTRACT.md C2, C3, T3).
pub(super) fn caller(
    identified: &Identified,
    headers: &HeaderMap,
    uri: &Uri,
    now: time::OffsetDateTime,
) -> Result<Caller, HandshakeError> {
    let credentials = Credentials::of_socket(headers, uri.query().unwrap_or_default()).unwrap_or_default();
    let text = [Proof::Authorization, Proof::ApiKey].into_iter().find_map(|proof| credentials.text(proof));
    match identified {
        Ok(caller) if caller.proof() == Proof::None => Err(HandshakeError::NoKey),
        Err(banyan_identity::TokenError::NoApiKey) => Err(HandshakeError::NoKey),
        identified => tokens::check(identified.clone(), text, now).map_err(HandshakeError::Token),
    }
}

/// The answer to the key of a request that asks for a websocket.
fn accept(headers: &HeaderMap) -> Option<HeaderValue> {
    let key = headers.get(SEC_WEBSOCKET_KEY)?;
    if headers.get(SEC_WEBSOCKET_VERSION)? != "13" || STANDARD.decode(key).ok()?.len() != 16 {
        return None;
    }
    let mut digest = ring::digest::Context::new(&ring::digest::SHA1_FOR_LEGACY_USE_ONLY);
    digest.update(key.as_bytes());
    digest.update(GUID);
    HeaderValue::try_from(STANDARD.encode(digest.finish())).ok()
}

fn upgrade(
    service: &Arc<ServiceContext>,
    patience: Patience,
    opening: Opening,
    checked: Checked,
) -> Response<Body> {
    let outbox = Outbox::new(service.limits.settings.max_outbox);
    let open = service.sockets.note(&outbox);
    let socket = Socket::new(SocketContext {
        service: Arc::clone(service),
        version: checked.version,
        outbox,
        caller: checked.caller,
        check_token: opening.check_token,
        headers: headers_of_policies(opening.request.headers()),
        patience,
        stopping: opening.stopping,
    });
    service.tasks.spawn(serve(socket, checked.on_upgrade, (checked.permit, open)));
    let mut response = Response::new(empty());
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let headers = response.headers_mut();
    headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(SEC_WEBSOCKET_ACCEPT, checked.accept);
    response
}

async fn serve(socket: Socket, on_upgrade: OnUpgrade, held: (OwnedSemaphorePermit, OpenSocket)) {
    match on_upgrade.await {
        Ok(upgraded) => socket::run(socket, upgraded).await,
        Err(error) => tracing::debug!(%error, "realtime: a connection ended before it was a socket"),
    }
    drop(held);
}

/// Headers `x-*` as a JSON object (CONTRACT.md C6). The id of a request is another each time, and
/// would keep an answer of the policies from being remembered.
pub(super) fn headers_of_policies(headers: &HeaderMap) -> Box<str> {
    let is_seen = |name: &str| name.starts_with("x-") && name != "x-request-id";
    let named = headers.iter().filter(|(name, _)| is_seen(name.as_str()));
    let texts =
        named.filter_map(|(name, value)| Some((name.as_str().to_owned(), Value::from(value.to_str().ok()?))));
    Value::Object(texts.collect::<Map<_, _>>()).to_string().into()
}

fn refusal(error: &HandshakeError) -> Response<Body> {
    let (status, message) = error.wire();
    tracing::info!(%status, message = message.as_deref(), "realtime: a socket is refused");
    match message {
        Some(message) => json_response(status, &json!({ "error": message })),
        None => {
            let mut response = Response::new(empty());
            *response.status_mut() = status;
            response
        }
    }
}
