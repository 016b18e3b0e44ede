//! One request: id, time, limits, CORS, caller, service.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use banyan_edge::HostError;
use banyan_identity::{Clock, Identified, Peer, Verifier, new_id};
use futures_util::future::BoxFuture;
use http::{
    HeaderMap, HeaderName, HeaderValue, Request, Response, StatusCode,
    header::{CONTENT_LENGTH, HOST, ORIGIN, X_CONTENT_TYPE_OPTIONS},
};
use secrecy::SecretString;

use crate::{
    Body, NOSNIFF, admin,
    assemble::Services,
    cors,
    metrics::{Finished, Metrics},
    pages::{self, FOREIGN_PAGE, Pages},
    refuse,
    refused::RefusedTokens,
    room::{Place, Room, busy},
    route::{self, Route, Switches},
    site::Site,
    this_machine,
};

/// Bytes of a method or a path that are logged: whoever calls chooses them.
const MOST_TOLD: usize = 512;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const SB_REQUEST_ID: HeaderName = HeaderName::from_static("sb-request-id");

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
const FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");
const FORWARDED_PORT: HeaderName = HeaderName::from_static("x-forwarded-port");

/// What is said to who comes by a public name while everybody knows the keys.
pub(crate) const DEMO_KEYS: &str = "This stack runs with the public demo keys and answers only names of this machine, such as localhost. \
    For another name give it keys of its own: auth.jwt_secret, the API keys and auth.signing_keys_path in config.toml. \
    (`[server] demo_keys = true` in banyan.toml shows it to everybody as it is.)";

/// Everything a request passes on its way to a service.
pub(crate) struct Gateway {
    pub(crate) services: Services,
    pub(crate) verifier: Verifier,
    pub(crate) clock: Clock,
    pub(crate) access_token: SecretString,
    pub(crate) refused_tokens: RefusedTokens,
    pub(crate) site: Site,
    pub(crate) metrics: Metrics,
    pub(crate) limits: Limits,
    pub(crate) room: Room,
    pub(crate) switches: Switches,
    /// Whether only names of this machine are answered: everybody knows the keys, and nobody said that others may come.
    pub(crate) for_this_machine: bool,
    /// The web pages that may ask; all where none are named.
    pub(crate) pages: Option<Pages>,
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

    /// Each part that is asked for data, and whether it answers.
    pub(crate) async fn ready(&self) -> Vec<(&'static str, bool)> {
        self.services.ready().await
    }

    /// Answers one request from `peer`. Never fails: what goes wrong is an answer.
    pub(crate) async fn answer(&self, mut request: Request<Body>, peer: Peer) -> Response<Body> {
        let started = Instant::now();
        let _running = self.metrics.begin();
        let id = request_id(request.headers());
        request.headers_mut().insert(REQUEST_ID, id.clone());
        request.headers_mut().insert(SB_REQUEST_ID, id.clone());
        request.extensions_mut().insert(peer);
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let (route, rest) = Route::of(&path);
        let route = route.unless_off(self.switches);
        let origin = request.headers().get(ORIGIN).cloned();

        let (role, mut response) = self.route(route, rest, request).await;
        if route != Route::Site {
            cors::open(response.headers_mut());
            response.headers_mut().entry(X_CONTENT_TYPE_OPTIONS).or_insert(NOSNIFF);
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
            request.method = told(method.as_str()),
            request.path = told(&path),
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
        if self.for_this_machine && !this_machine::is_asked_for(request.headers()) {
            return (nobody(), refuse(StatusCode::MISDIRECTED_REQUEST, DEMO_KEYS));
        }
        match route {
            Route::Site => return (nobody(), self.site.answer(&request)),
            Route::Unknown => {
                return (nobody(), refuse(StatusCode::NOT_FOUND, "no Route matched with those values"));
            }
            _ if cors::is_preflight(&request) && !self.is_for_function(route, rest) => {
                return (nobody(), cors::preflight(request.headers()));
            }
            _ if !self.may_ask(route, rest, &request) => {
                return (nobody(), refuse(StatusCode::FORBIDDEN, FOREIGN_PAGE));
            }
            _ => {}
        }
        if content_length(request.headers()).is_some_and(|length| length > self.limits.max_body) {
            let refused = refuse(StatusCode::PAYLOAD_TOO_LARGE, "The request body is too large.");
            return (nobody(), of_functions(route, HostError::BodyTooLarge).unwrap_or(refused));
        }
        let peer = request.extensions().get::<Peer>().cloned().unwrap_or(Peer::Stack);
        let Some(place) = self.room.place(&peer, request.method()) else {
            return (nobody(), of_functions(route, HostError::Busy).unwrap_or_else(busy));
        };
        let Some(uri) = route::strip(request.uri(), rest) else {
            return (nobody(), refuse(StatusCode::BAD_REQUEST, "The address cannot be read."));
        };
        let now = self.clock.now();
        let caller = self.verifier.identify(request.headers(), now);
        let role = caller.as_ref().map_or("-", |caller| caller.role()).to_owned();
        let request = self.prepare(route, request, uri, &place);
        let served = self.serve(route, caller, request, now);
        match tokio::time::timeout(self.limits.timeout, served).await {
            Ok(response) => (role, place.judge(response)),
            Err(_) => {
                let refused = refuse(StatusCode::GATEWAY_TIMEOUT, "The service did not answer in time.");
                (role, of_functions(route, HostError::IdleTimeout).unwrap_or(refused))
            }
        }
    }

    /// Whether the page that asks may, if one does. Preflights are answered: they change nothing,
    /// and their answer lets the page read why it is refused. So is the return from a provider,
    /// whose own page may post it, though not into a frame: no key counts there, and a state that
    /// auth gave out says for whom it is.
    fn may_ask(&self, route: Route, rest: &str, request: &Request<Body>) -> bool {
        let Some(pages) = &self.pages else { return true };
        let headers = request.headers();
        let is_return = route == Route::Auth && rest == "/callback" && pages::may_return(headers);
        is_return || cors::is_preflight(request) || pages.may_ask(request.method(), headers)
    }

    /// Whether a preflight goes to a function that answers its own (edge/CONTRACT.md F06).
    fn is_for_function(&self, route: Route, rest: &str) -> bool {
        let edge = self.services.edge.as_ref().filter(|_| route == Route::Functions);
        edge.is_some_and(|edge| edge.answers_preflights(rest))
    }

    fn prepare(
        &self,
        route: Route,
        mut request: Request<Body>,
        uri: http::Uri,
        place: &Place<'_>,
    ) -> Request<Body> {
        *request.uri_mut() = uri;
        place.bound(route, request, self.limits.max_body)
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
                Some(edge) => banyan_edge::handle(edge, caller, forwarded(request), now).await,
                None => HostError::UnknownFunction.response(),
            },
            Route::Mail => banyan_mail::handle(&services.mail, caller, request, now).await,
            Route::RestAdmin => admin::data_ready(self).await,
            Route::Unknown | Route::Site => {
                refuse(StatusCode::NOT_FOUND, "no Route matched with those values")
            }
        }
    }

    /// Answers a call to the stack's own API that never leaves the process: of a function, which
    /// says its name, or of auth.
    pub(crate) fn answer_own(self: Arc<Self>, request: Request<Body>) -> BoxFuture<'static, Response<Body>> {
        let peer = request.extensions().get::<Peer>().cloned().unwrap_or(Peer::Stack);
        Box::pin(async move { self.answer(request, peer).await })
    }
}

/// The answer to a function's caller where the gateway refuses, in the functions' own shape: a client tells it by
/// `x-relay-error` from an answer of the function (edge/CONTRACT.md E02).
fn of_functions(route: Route, error: HostError) -> Option<Response<Body>> {
    (route == Route::Functions).then(|| error.response())
}

/// Tells a function where its request came from (edge/CONTRACT.md T01). What a proxy before this
/// listener has said stays; the address that connected is added. A call that never left the process
/// has none: what it says of its own client is all that is known.
fn forwarded(mut request: Request<Body>) -> Request<Body> {
    let peer = request.extensions().get::<Peer>().and_then(Peer::address);
    let headers = request.headers_mut();
    if let Some(peer) = peer {
        let peer = peer.to_canonical().to_string();
        // A proxy may add a line of its own; each counts, in their order.
        let before = headers.get_all(&FORWARDED_FOR).iter().filter_map(|value| value.to_str().ok());
        let before = before.filter(|line| !line.trim().is_empty());
        let all = before.chain([peer.as_str()]).collect::<Vec<_>>().join(", ");
        headers.insert(FORWARDED_FOR, HeaderValue::try_from(all).expect("addresses are header values"));
    }
    let host = headers.get(HOST).cloned().unwrap_or(HeaderValue::from_static("localhost"));
    let port = host.to_str().ok().and_then(|host| host.rsplit_once(':')?.1.parse::<u16>().ok());
    let https = headers.get(&FORWARDED_PROTO).is_some_and(|proto| proto == "https");
    let port = port.unwrap_or(if https { 443 } else { 80 });
    headers.entry(FORWARDED_PROTO).or_insert(HeaderValue::from_static("http"));
    headers.entry(FORWARDED_HOST).or_insert(host);
    headers.entry(FORWARDED_PORT).or_insert(HeaderValue::from(port));
    request
}

/// The client's own id when it is harmless, else a new one.
fn request_id(headers: &HeaderMap) -> HeaderValue {
    let harmless = |value: &&HeaderValue| {
        (1..=64).contains(&value.len())
            && value.as_bytes().iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
    };
    headers
        .get(REQUEST_ID)
        .filter(harmless)
        .cloned()
        .unwrap_or_else(|| HeaderValue::try_from(new_id().to_string()).expect("a UUID is a header value"))
}

/// The beginning of what a caller chose, as much of it as is told.
fn told(text: &str) -> &str {
    &text[..text.floor_char_boundary(MOST_TOLD)]
}

fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: GW-LOG
    #[test]
    fn what_a_caller_chose_is_told_in_part_and_in_whole_characters() {
        assert_eq!(told("/rest/v1/todos"), "/rest/v1/todos");
        assert_eq!(told(&"M".repeat(60_000)).len(), 512);
        assert_eq!(told(&"ä".repeat(300)).len(), 512);
        assert_eq!(told(&format!("a{}", "ä".repeat(300))).len(), 511);
    }

    // rows: edge/T01
    #[test]
    fn every_line_of_those_before_counts_and_who_connected_is_the_last() {
        let mut request = Request::new(crate::full(""));
        for line in ["203.0.113.7", "", "198.51.100.2, 10.0.0.3"] {
            request.headers_mut().append(&FORWARDED_FOR, HeaderValue::from_static(line));
        }
        request.extensions_mut().insert(Peer::Tcp(([127, 0, 0, 1], 4000).into()));
        let forwarded = forwarded(request);
        let all: Vec<_> = forwarded.headers().get_all(&FORWARDED_FOR).iter().collect();
        assert_eq!(all, ["203.0.113.7, 198.51.100.2, 10.0.0.3, 127.0.0.1"]);
    }

    // rows: edge/T01
    #[test]
    fn a_function_that_calls_another_is_no_address() {
        let told = |lines: &[&'static str]| {
            let mut request = Request::new(crate::full(""));
            for line in lines {
                request.headers_mut().append(&FORWARDED_FOR, HeaderValue::from_static(line));
            }
            request.extensions_mut().insert(Peer::Function("lesson".into()));
            let request = forwarded(request);
            request.headers().get(&FORWARDED_FOR).map(|value| value.to_str().unwrap().to_owned())
        };
        assert_eq!(told(&["203.0.113.7"]).as_deref(), Some("203.0.113.7"));
        assert_eq!(told(&[]), None);
    }

    // rows: GW-REQUEST-ID
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
