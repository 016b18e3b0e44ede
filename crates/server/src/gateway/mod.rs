//! The way of one request: id, checks, permit, caller, service, log. What is done for whom stands
//! in the policies of the services (`service.rs`).

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use banyan_identity::{Caller, Clock, Peer, new_id};
use banyan_web::Body;
use futures_util::future::BoxFuture;
use http::{
    HeaderMap, HeaderName, HeaderValue, Request, Response,
    header::{CONTENT_LENGTH, ORIGIN, X_CONTENT_TYPE_OPTIONS},
};
use tokio_util::sync::CancellationToken;

use crate::{
    NOSNIFF,
    admission::Admission,
    cors::is_preflight,
    foreign_pages::{self, AllowedPages},
    loopback_host,
    observer::{Answered, CallerRole, RequestHead},
    refusal::Refusal,
    service::{BodyRule, Call, PageRule, Service, ServicePolicy, Services, with_path},
    transferred::Received,
    upgrades,
};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const SB_REQUEST_ID: HeaderName = HeaderName::from_static("sb-request-id");

/// Everything a request passes on its way to a service.
pub(crate) struct Gateway {
    pub(crate) services: Services,
    pub(crate) admission: Admission,
    pub(crate) clock: Clock,
    /// Whether only names of this machine are answered: everybody knows the keys, and nobody said
    /// that others may come.
    pub(crate) loopback_only: bool,
    /// The web pages that may ask; all where none are named.
    pub(crate) pages: Option<AllowedPages>,
    /// Cancelled when the stop begins.
    pub(crate) stopping: CancellationToken,
}

impl Gateway {
    /// Answers one request from `peer`. Never fails: what goes wrong is an answer.
    pub(crate) async fn answer(self: Arc<Self>, mut request: Request<Body>, peer: Peer) -> Response<Body> {
        let started = Instant::now();
        let head = RequestHead::of(&request, peer.clone());
        let (service, path) = self.services.find(head.uri.path());
        let policy = &service.policy;
        let _running = policy.observer.begin();
        let id = policy.request_ids.then(|| request_id(request.headers()));
        set_id(request.headers_mut(), id.as_ref());
        request.extensions_mut().insert(peer);
        let origin = request.headers().get(ORIGIN).cloned();
        let received = policy.counts_bytes.then(Received::default);
        if let Some(received) = &received {
            request = received.count(request);
        }

        let mut role = CallerRole::NotAsked;
        let preflight = self.preflight(policy, path, &request);
        let is_preflight = preflight.is_some();
        let mut response = match preflight {
            Some(response) => response,
            None => {
                let served = self.serve(service, path, request, &head, &mut role).await;
                let mut response = served.unwrap_or_else(policy.refusals);
                policy.cors.allow(response.headers_mut(), origin.as_ref());
                response
            }
        };
        response.headers_mut().entry(X_CONTENT_TYPE_OPTIONS).or_insert(NOSNIFF);
        set_id(response.headers_mut(), id.as_ref());
        let (service, status, took) = (policy.name, response.status(), started.elapsed());
        observed(policy, Answered { service, head, id, role, status, is_preflight, took }, received, response)
    }

    /// Answers a call to the stack's own API that never leaves the process: of a function, which
    /// says its name, or of auth.
    pub(crate) fn answer_own(self: Arc<Self>, request: Request<Body>) -> BoxFuture<'static, Response<Body>> {
        let peer = request.extensions().get::<Peer>().cloned().unwrap_or(Peer::Stack);
        Box::pin(self.answer(request, peer))
    }

    /// The answer to a preflight that the gateway answers for the service.
    fn preflight(
        &self,
        policy: &ServicePolicy,
        path: &str,
        request: &Request<Body>,
    ) -> Option<Response<Body>> {
        let is_answered =
            policy.preflights.are_of_gateway(path) && self.check_host(request.headers()).is_ok();
        is_answered.then(|| policy.cors.preflight(request)).flatten()
    }

    /// The answer of the service, unless the gateway refuses the request.
    async fn serve(
        &self,
        service: &Service,
        path: &str,
        mut request: Request<Body>,
        head: &RequestHead,
        role: &mut CallerRole,
    ) -> Result<Response<Body>, Refusal> {
        let policy = &service.policy;
        self.check_host(request.headers())?;
        self.check_page(policy.pages, path, &request)?;
        let terms = policy.terms(&head.method, path);
        check_length(terms.body, request.headers())?;
        let permit = self.admission.permit(terms.admission, &head.peer, &head.method)?;
        if path != head.uri.path() {
            *request.uri_mut() = with_path(&head.uri, path)?;
        }
        let mut call = self.identify(policy, permit.bound(terms.body, request), head, role);
        let asking = (&call.caller, &head.peer);
        let upgrade = upgrades::prepare(&mut call.request, policy.upgrades.as_ref(), asking)?;
        let response = within(terms.deadline, (service.handler)(call)).await?;
        upgrades::settle(upgrade, permit.judge(response)?)
    }

    /// What the service is called with, once it is known who calls.
    fn identify(
        &self,
        policy: &ServicePolicy,
        request: Request<Body>,
        head: &RequestHead,
        role: &mut CallerRole,
    ) -> Call {
        let (now, began) = (self.clock.now(), Instant::now());
        let identified = policy.identification.identify(request.headers(), &head.uri, now);
        let identified_in = began.elapsed();
        if let Some(caller) = &identified {
            *role = CallerRole::of(caller);
        }
        let caller = identified.unwrap_or_else(|| Ok(Caller::anonymous()));
        Call {
            caller,
            request,
            original_uri: head.uri.clone(),
            identification: policy.identification.clone(),
            now,
            identified_in,
            stopping: self.stopping.clone(),
        }
    }

    fn check_host(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let is_foreign = self.loopback_only && !loopback_host::is_asked_for(headers);
        if is_foreign { Err(Refusal::ForeignHost) } else { Ok(()) }
    }

    /// Refuses a page that may not ask. Preflights are answered: they change nothing, and their
    /// answer lets the page read why it is refused. So is the return from a provider, whose own
    /// page may post it, though not into a frame: no key counts there, and a state that auth gave
    /// out says for whom it is.
    fn check_page(&self, rule: PageRule, path: &str, request: &Request<Body>) -> Result<(), Refusal> {
        let Some(pages) = &self.pages else { return Ok(()) };
        let headers = request.headers();
        let is_allowed = match rule {
            PageRule::Every => true,
            PageRule::OfProjectAndReturnTo(back) if back == path && foreign_pages::may_return(headers) => {
                true
            }
            PageRule::OfProject | PageRule::OfProjectAndReturnTo(_) => {
                is_preflight(request) || pages.may_ask(request.method(), headers)
            }
        };
        if is_allowed { Ok(()) } else { Err(Refusal::ForeignPage) }
    }
}

/// The answer, of which the observer of the service is told: at once, or at its last byte where
/// bytes are counted.
fn observed(
    policy: &ServicePolicy,
    answered: Answered,
    received: Option<Received>,
    response: Response<Body>,
) -> Response<Body> {
    let Some(received) = received else {
        policy.observer.observe(&answered, &response);
        return response;
    };
    let observer = Arc::clone(&policy.observer);
    received.until_sent(response, move |bytes| observer.observe_transferred(&answered, bytes))
}

/// The answer, unless it takes longer than the deadline.
async fn within(
    deadline: Option<Duration>,
    answer: impl Future<Output = Response<Body>>,
) -> Result<Response<Body>, Refusal> {
    match deadline {
        Some(deadline) => tokio::time::timeout(deadline, answer).await.map_err(|_| Refusal::DeadlinePassed),
        None => Ok(answer.await),
    }
}

/// Refuses a body that says itself that it is too large.
fn check_length(rule: BodyRule, headers: &HeaderMap) -> Result<(), Refusal> {
    let Some(limit) = rule.limit().filter(|limit| limit.by_declared_length) else { return Ok(()) };
    let declared = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    let is_too_large = declared.is_some_and(|length| length > limit.bytes);
    if is_too_large { Err(Refusal::BodyTooLarge) } else { Ok(()) }
}

fn set_id(headers: &mut HeaderMap, id: Option<&HeaderValue>) {
    let Some(id) = id else { return };
    headers.insert(REQUEST_ID, id.clone());
    headers.insert(SB_REQUEST_ID, id.clone());
}

/// The client's own id when it is harmless, else a new one.
fn request_id(headers: &HeaderMap) -> HeaderValue {
    let harmless = |value: &&HeaderValue| {
        (1..=64).contains(&value.len())
            && value.as_bytes().iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(byte))
    };
    [REQUEST_ID, SB_REQUEST_ID]
        .iter()
        .find_map(|name| headers.get(name).filter(harmless))
        .cloned()
        .unwrap_or_else(|| HeaderValue::try_from(new_id().to_string()).expect("a UUID is a header value"))
}

#[cfg(test)]
mod tests;
