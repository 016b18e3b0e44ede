//! One request: id, time, limits, CORS, caller, service.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::Arc,
    time::{Duration, Instant},
};

use banyan_identity::{ApiKeys, Clock, Identified, Keyring};
use futures_util::future::BoxFuture;
use http::{
    HeaderMap, HeaderName, HeaderValue, Request, Response, StatusCode,
    header::{CONTENT_LENGTH, ORIGIN},
};

use crate::{
    Body, admin,
    assemble::Services,
    cors,
    metrics::{Finished, Metrics},
    refuse,
    room::{Place, Room, busy},
    route::{self, Route},
    site::Site,
};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const SB_REQUEST_ID: HeaderName = HeaderName::from_static("sb-request-id");

/// Everything a request passes on its way to a service.
pub(crate) struct Gateway {
    pub(crate) services: Services,
    pub(crate) keyring: Arc<Keyring>,
    pub(crate) api_keys: ApiKeys,
    pub(crate) clock: Clock,
    pub(crate) site: Site,
    pub(crate) metrics: Metrics,
    pub(crate) limits: Limits,
    pub(crate) room: Room,
}

/// Limits of one request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Largest body in bytes.
    pub(crate) max_body: u64,
    /// Longest wait for the head of an answer.
    pub(crate) timeout: Duration,
}

impl Gateway {
    pub(crate) fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Each part and whether it answers.
    pub(crate) async fn ready(&self) -> Vec<(&'static str, bool)> {
        self.services.ready().await
    }

    /// Answers one request from `peer`. Never fails: what goes wrong is an answer.
    pub(crate) async fn answer(&self, mut request: Request<Body>, peer: SocketAddr) -> Response<Body> {
        let started = Instant::now();
        let _running = self.metrics.begin();
        let id = request_id(request.headers());
        request.headers_mut().insert(REQUEST_ID, id.clone());
        request.headers_mut().insert(SB_REQUEST_ID, id.clone());
        request.extensions_mut().insert(peer);
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let (route, rest) = Route::of(&path);
        let origin = request.headers().get(ORIGIN).cloned();

        let (role, mut response) = self.route(route, rest, request).await;
        if route != Route::Site {
            cors::open(response.headers_mut());
        }
        if route == Route::Auth {
            cors::echo(response.headers_mut(), origin);
        }
        response.headers_mut().insert(REQUEST_ID, id.clone());
        response.headers_mut().insert(SB_REQUEST_ID, id.clone());

        let (status, took) = (response.status().as_u16(), started.elapsed());
        self.metrics.observe(Finished { route, role: &role, status, took });
        tracing::info!(
            request.id = id.to_str().unwrap_or("-"),
            request.method = %method,
            request.path = path,
            service = route.name(),
            caller.role = role,
            response.status = status,
            duration_ms = took.as_secs_f64() * 1000.0,
            "request answered"
        );
        response
    }

    async fn route(&self, route: Route, rest: &str, request: Request<Body>) -> (String, Response<Body>) {
        let nobody = || "anon".to_owned();
        match route {
            Route::Site => return (nobody(), self.site.answer(&request)),
            Route::Unknown => {
                return (nobody(), refuse(StatusCode::NOT_FOUND, "no Route matched with those values"));
            }
            _ if cors::is_preflight(&request) => return (nobody(), cors::preflight(request.headers())),
            _ => {}
        }
        if content_length(request.headers()).is_some_and(|length| length > self.limits.max_body) {
            return (nobody(), refuse(StatusCode::PAYLOAD_TOO_LARGE, "The request body is too large."));
        }
        let Some(place) = self.room.place() else {
            return (nobody(), busy());
        };
        let Some(uri) = route::strip(request.uri(), rest) else {
            return (nobody(), refuse(StatusCode::BAD_REQUEST, "The address cannot be read."));
        };
        let now = self.clock.now();
        let caller = self.keyring.identify(&self.api_keys, request.headers(), now);
        let role = caller.as_ref().map_or("-", |caller| caller.role()).to_owned();
        let request = self.prepare(request, uri, &place);
        let served = self.serve(route, caller, request, now);
        match tokio::time::timeout(self.limits.timeout, served).await {
            Ok(response) => (role, place.judge(response)),
            Err(_) => (role, refuse(StatusCode::GATEWAY_TIMEOUT, "The service did not answer in time.")),
        }
    }

    fn prepare(&self, mut request: Request<Body>, uri: http::Uri, place: &Place<'_>) -> Request<Body> {
        *request.uri_mut() = uri;
        place.bound(request, usize::try_from(self.limits.max_body).unwrap_or(usize::MAX))
    }

    async fn serve(
        &self,
        route: Route,
        caller: Identified,
        request: Request<Body>,
        now: time::OffsetDateTime,
    ) -> Response<Body> {
        let services = &self.services;
        match route {
            Route::Rest => banyan_rest::handle(&services.rest, caller, request, now).await,
            Route::Auth => banyan_auth::handle(&services.auth, caller, request, now).await,
            Route::Functions => match &services.edge {
                Some(edge) => banyan_edge::handle(edge, caller, request, now).await,
                None => refuse(StatusCode::NOT_FOUND, "Functions are switched off."),
            },
            Route::Mail => banyan_mail::handle(&services.mail, caller, request, now).await,
            Route::RestAdmin => admin::ready(self).await,
            Route::Unknown | Route::Site => {
                refuse(StatusCode::NOT_FOUND, "no Route matched with those values")
            }
        }
    }

    /// Answers a call that a function makes to the stack's own API, without leaving the process.
    pub(crate) fn answer_own(self: Arc<Self>, request: Request<Body>) -> BoxFuture<'static, Response<Body>> {
        let peer = SocketAddr::from((IpAddr::V4(Ipv4Addr::LOCALHOST), 0));
        Box::pin(async move { self.answer(request, peer).await })
    }
}

/// The client's own id when it is harmless, else a new one.
fn request_id(headers: &HeaderMap) -> HeaderValue {
    let harmless = |value: &&HeaderValue| {
        (1..=64).contains(&value.len())
            && value.as_bytes().iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
    };
    headers.get(REQUEST_ID).filter(harmless).cloned().unwrap_or_else(|| {
        HeaderValue::try_from(uuid::Uuid::new_v4().to_string()).expect("a UUID is a header value")
    })
}

fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_harmless_request_id_is_kept_and_any_other_replaced() {
        let id = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(REQUEST_ID, HeaderValue::from_str(value).expect("a header value"));
            request_id(&headers).to_str().expect("text").to_owned()
        };
        assert_eq!(id("abc-123"), "abc-123");
        assert_ne!(id("with space"), "with space");
        assert_eq!(id(&"x".repeat(65)).len(), 36);
    }
}
