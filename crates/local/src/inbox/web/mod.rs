//! Pages and API out: one small HTTP listener on loopback.

/// Mailpit's calls.
mod api;

/// The page that a person sees.
mod page;

use std::{convert::Infallible, sync::Arc, time::Duration};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Version, header, uri::Authority};
use http_body_util::{BodyExt, Full, Limited};
use hyper::{body::Incoming, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{net::TcpListener, sync::Semaphore};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::store::Store;

/// Connections at one time.
const MOST_CONNECTIONS: usize = 128;

/// Largest request body in bytes: a list of ids.
const LARGEST_BODY: usize = 256 << 10;

/// A request without its body's stream.
struct Call<'a> {
    method: &'a Method,
    path: &'a str,
    query: &'a str,
    body: Bytes,
}

type Answer = Response<Full<Bytes>>;

/// Accepts until `shutdown`, then lets running requests finish for up to 2 s.
pub(super) async fn serve(listener: TcpListener, store: Arc<Store>, shutdown: CancellationToken) {
    let slots = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let connections = TaskTracker::new();
    loop {
        let accepted = tokio::select! {
            () = shutdown.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        let Ok((stream, _)) = accepted else {
            // Out of file descriptors: wait for some to come back.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let Ok(slot) = Arc::clone(&slots).try_acquire_owned() else { continue };
        let (store, shutdown) = (Arc::clone(&store), shutdown.clone());
        connections.spawn(async move {
            serve_connection(stream, store, shutdown).await;
            drop(slot);
        });
    }
    connections.close();
    let _ = tokio::time::timeout(Duration::from_secs(2), connections.wait()).await;
}

async fn serve_connection(stream: tokio::net::TcpStream, store: Arc<Store>, shutdown: CancellationToken) {
    let service = service_fn(move |request| {
        let store = Arc::clone(&store);
        async move { Ok::<_, Infallible>(answer(&store, request).await) }
    });
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_secs(30))
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = shutdown.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection to the mail inbox broke off");
    }
}

async fn answer(store: &Store, request: Request<Incoming>) -> Answer {
    let (parts, body) = request.into_parts();
    if let Some(fault) = host_fault(parts.version, &parts.headers) {
        return text(StatusCode::BAD_REQUEST, fault);
    }
    if !is_local(&parts.headers) {
        return text(StatusCode::MISDIRECTED_REQUEST, "The inbox answers to localhost only.");
    }
    if parts.method != Method::GET && parts.method != Method::HEAD && is_cross_site(&parts.headers) {
        return text(StatusCode::FORBIDDEN, "Another site may not change the inbox.");
    }
    let Ok(body) = Limited::new(body, LARGEST_BODY).collect().await else {
        return text(StatusCode::PAYLOAD_TOO_LARGE, "The request is too large.");
    };
    let call = Call {
        method: &parts.method,
        path: parts.uri.path(),
        query: parts.uri.query().unwrap_or_default(),
        body: body.to_bytes(),
    };
    match call.path.strip_prefix("/api/v1/") {
        Some(path) => api::answer(store, &call, path).await,
        None => page::answer(store, &call).await,
    }
}

/// Checks the header `Host` (RFC 9112 section 3.2), as server/CONTRACT.md GW-HTTP does for the API:
/// two programs that read an ambiguous request may see two hosts.
fn host_fault(version: Version, headers: &HeaderMap) -> Option<&'static str> {
    let mut hosts = headers.get_all(header::HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) if version == Version::HTTP_11 => Some("The request has no Host header."),
        (Some(_), Some(_)) => Some("The request has more than one Host header."),
        (Some(host), None) if !host.is_empty() && Authority::try_from(host.as_bytes()).is_err() => {
            Some("The Host header is not a host and a port.")
        }
        _ => None,
    }
}

/// Returns whether the request names this machine, and not a name that another site points at it
/// (DNS rebinding).
fn is_local(headers: &HeaderMap) -> bool {
    let host = headers.get(header::HOST).and_then(|host| Authority::try_from(host.as_bytes()).ok());
    let Some(name) = host.as_ref().map(Authority::host) else { return false };
    let address = name.trim_start_matches('[').trim_end_matches(']');
    name == "localhost" || name.ends_with(".localhost") || address.parse::<std::net::IpAddr>().is_ok()
}

/// Returns whether a browser says that the request comes from a page of another origin.
fn is_cross_site(headers: &HeaderMap) -> bool {
    let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
    if let Some(site) = site {
        return site != b"same-origin" && site != b"none";
    }
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    headers
        .get(header::ORIGIN)
        .and_then(|origin| origin.to_str().ok())
        .is_some_and(|origin| origin.split_once("//").map(|(_, host)| host) != host)
}

/// Value of a query parameter, decoded.
fn parameter(query: &str, name: &str) -> Option<String> {
    url::form_urlencoded::parse(query.as_bytes())
        .find(|(key, _)| key == name)
        .map(|(_, value)| value.into_owned())
}

fn respond(status: StatusCode, content_type: &str, body: impl Into<Bytes>) -> Answer {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    let kind = HeaderValue::from_str(content_type)
        .unwrap_or_else(|_| HeaderValue::from_static("application/octet-stream"));
    headers.insert(header::CONTENT_TYPE, kind);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; sandbox"));
    response
}

fn text(status: StatusCode, message: &str) -> Answer {
    respond(status, "text/plain; charset=utf-8", message.to_owned())
}

fn with_policy(mut response: Answer, policy: &'static str) -> Answer {
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_static(value));
        }
        headers
    }

    // rows: LOC-INBOX-DOORS
    #[test]
    fn only_names_of_this_machine_are_answered() {
        for (host, local) in [
            ("127.0.0.1:54324", true),
            ("localhost:54324", true),
            ("localhost", true),
            ("mail.localhost:1", true),
            ("[::1]:54324", true),
            ("evil.example:54324", false),
            ("localhost.evil.example", false),
            ("", false),
        ] {
            assert_eq!(is_local(&headers(&[("host", host)])), local, "{host}");
        }
    }

    // rows: LOC-INBOX-DOORS
    #[test]
    fn a_request_to_the_inbox_without_one_host_is_refused() {
        for (version, given, refused) in [
            (Version::HTTP_11, headers(&[]), true),
            (Version::HTTP_10, headers(&[]), false),
            (Version::HTTP_11, headers(&[("host", "localhost"), ("host", "localhost")]), true),
            (Version::HTTP_11, headers(&[("host", "a/b")]), true),
            (Version::HTTP_11, headers(&[("host", "")]), false),
            (Version::HTTP_11, headers(&[("host", "[::1]:54324")]), false),
        ] {
            assert_eq!(host_fault(version, &given).is_some(), refused, "{given:?}");
        }
    }

    // rows: LOC-INBOX-DOORS
    #[test]
    fn pages_of_other_sites_may_not_change_anything() {
        for (given, foreign) in [
            (headers(&[("sec-fetch-site", "cross-site")]), true),
            (headers(&[("sec-fetch-site", "same-site")]), true),
            (headers(&[("sec-fetch-site", "same-origin")]), false),
            (headers(&[("host", "127.0.0.1:1"), ("origin", "http://127.0.0.1:1")]), false),
            (headers(&[("host", "127.0.0.1:1"), ("origin", "http://127.0.0.1:2")]), true),
            (headers(&[("host", "127.0.0.1:1"), ("origin", "null")]), true),
            (headers(&[("host", "127.0.0.1:1")]), false),
        ] {
            assert_eq!(is_cross_site(&given), foreign, "{given:?}");
        }
    }
}
