//! One request: caller, CORS, service, log line.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use arc_swap::ArcSwap;
use banyan_config::{machine, postgrest::DataApi};
use banyan_identity::{Clock, Peer, Verifier};
use banyan_rest::cors::Cors;
use http::{Request, Response};

use super::{
    Output,
    access_log::{self, Line},
    metrics::Metrics,
};
use crate::{Body, admission::Admission, full, refusal::Refusal, route::Route, sockets::Reachable};

/// A larger body is refused rather than kept in memory.
const LARGEST_BODY: u64 = 64 << 20;

/// What requests pass on their way.
pub(super) struct Service {
    rest: banyan_rest::State,
    current: ArcSwap<Current>,
    clock: Clock,
    output: Output,
    api: Reachable,
    metrics: Metrics,
    admission: Admission,
}

/// What options can change.
struct Current {
    options: Arc<DataApi>,
    verifier: Verifier,
}

impl Service {
    pub(super) fn new(
        rest: banyan_rest::State,
        verifier: Verifier,
        options: Arc<DataApi>,
        clock: Clock,
        output: Output,
        api: Reachable,
    ) -> Self {
        warn_of_old_role_path(&verifier, &options);
        let current = ArcSwap::from_pointee(Current { options, verifier });
        let admission = Admission::of(machine::memory(), LARGEST_BODY);
        Self { rest, current, clock, output, api, metrics: Metrics::default(), admission }
    }

    pub(super) fn rest(&self) -> &banyan_rest::State {
        &self.rest
    }

    /// Whether the API's socket still takes connections.
    pub(super) async fn is_live(&self) -> bool {
        self.api.is_reached().await
    }

    /// The text that Prometheus reads (rest/CONTRACT.md Z04).
    pub(super) fn metrics(&self) -> String {
        let current = self.current.load();
        self.metrics.render(self.rest.database().status(), self.rest.loads(), current.verifier.lookups())
    }

    /// Uses other options from now on; those whose keys cannot be used are logged, and the old ones stay.
    pub(super) fn take_over(&self, options: Arc<DataApi>) {
        let current = self.current.load();
        match current.verifier.renewed(&options.tokens, options.anonymous_role.as_deref()) {
            Ok(verifier) => {
                if options.tokens.role_claim != current.options.tokens.role_claim {
                    warn_of_old_role_path(&verifier, &options);
                }
                self.current.store(Arc::new(Current { options, verifier }));
            }
            Err(error) => tracing::error!(error = %error, "Failed reloading config"),
        }
    }
}

/// rest/CONTRACT.md T03
fn warn_of_old_role_path(verifier: &Verifier, options: &DataApi) {
    if verifier.has_old_role_path() {
        tracing::warn!(
            "jwt-role-claim-key={} is written in the old form: a JSONPath of RFC 9535 begins with $",
            options.tokens.role_claim
        );
    }
}

/// Answers one request; errors are answers too.
pub(super) async fn answer(service: Arc<Service>, request: Request<Body>, peer: Peer) -> Response<Body> {
    let current = service.current.load_full();
    let allowed = current.options.allowed_origins.as_deref();
    let cors = match banyan_rest::cors::of(request.method(), request.headers(), allowed) {
        Cors::Preflight(headers) => {
            let mut response = Response::new(full(""));
            response.headers_mut().extend(headers);
            return response;
        }
        Cors::Actual(headers) => Some(headers),
        Cors::Plain => None,
    };
    let line = access_log::is_wanted(current.options.log_level).then(|| Line::of(&request, &peer));
    let (role, mut response) = service.serve(&current, request, &peer).await;
    for (name, value) in cors.into_iter().flatten() {
        if let Some(name) = name {
            response.headers_mut().insert(name, value);
        }
    }
    service.metrics.observe(&response);
    if let Some(line) = line
        && access_log::is_logged(current.options.log_level, response.status())
    {
        (service.output.access)(&line.render(role.as_deref(), &response, service.clock.now()));
        if let Some(sent) = response.extensions().get::<banyan_rest::Sent>() {
            (service.output.queries)(&access_log::query(&sent.0, service.clock.now()));
        }
    }
    response
}

impl Service {
    /// The caller's role, where it is known, and the service's answer.
    async fn serve(
        &self,
        current: &Current,
        mut request: Request<Body>,
        peer: &Peer,
    ) -> (Option<String>, Response<Body>) {
        let Some(permit) = self.admission.permit(peer, request.method()) else {
            return (None, Refusal::Busy.response());
        };
        let now = self.clock.now();
        let began = Instant::now();
        let caller = current.verifier.identify(request.headers(), now);
        let took: Duration = began.elapsed();
        let role = caller.as_ref().ok().map(|caller| caller.role().to_owned());
        request.extensions_mut().insert(banyan_rest::TokenTime(took));
        let request = permit.bound(Route::Rest, request, LARGEST_BODY);
        (role, permit.judge(banyan_rest::handle(&self.rest, caller, request, now).await))
    }
}
