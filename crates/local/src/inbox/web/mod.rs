//! Pages and API out: one small HTTP listener on loopback.

/// Mailpit's calls.
mod api;

/// The page that a person sees.
mod page;

use std::{convert::Infallible, sync::Arc, time::Duration};

use banyan_web::{host_fault, read_body};
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Uri, header, uri::Authority};
use http_body_util::Full;
use hyper::{body::Incoming, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

use super::{accept::accept, store::Store};

/// Connections at one time.
const MOST_CONNECTIONS: usize = 128;

/// Largest request body in bytes: a list of ids.
const LARGEST_BODY: usize = 256 << 10;

/// A request without its body's stream.
struct Call<'a> {
    method: &'a Method,
    uri: &'a Uri,
    body: Bytes,
}

type Answer = Response<Full<Bytes>>;

/// Answers requests until `shutdown`.
pub(super) async fn serve(listener: TcpListener, store: Arc<Store>, shutdown: CancellationToken) {
    let serve = |stream| serve_connection(stream, Arc::clone(&store), shutdown.clone());
    accept(listener, MOST_CONNECTIONS, shutdown.clone(), serve).await;
}

async fn serve_connection(stream: TcpStream, store: Arc<Store>, shutdown: CancellationToken) {
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
    let Ok(body) = read_body(body, LARGEST_BODY).await else {
        return text(StatusCode::PAYLOAD_TOO_LARGE, "The request is too large.");
    };
    let call = Call { method: &parts.method, uri: &parts.uri, body };
    match call.uri.path().strip_prefix("/api/v1/") {
        Some(path) => api::answer(store, &call, path).await,
        None => page::answer(store, &call).await,
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
