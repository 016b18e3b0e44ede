use std::{
    future::poll_fn,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    sync::Arc,
    task::Poll,
    time::Duration,
};

use axum::response::IntoResponse;
use banyan_config::Config;
use banyan_db::Database;
use banyan_identity::{Identified, Keyring, Peer, TokenError};
use banyan_mail::MailQueue;
use banyan_web::Body;
use http::{Request, Response};
use http_body_util::BodyExt;
use rand::rngs::StdRng;
use time::OffsetDateTime;
use tower::ServiceExt;

use crate::{
    context::ServiceContext,
    mails::TemplateError,
    outbound::FunctionCall,
    router::routes,
    wire::{
        client_address,
        device_cookie::DeviceCookies,
        error::{self, AuthError},
        request::GatewayInfo,
    },
};

/// What the auth service works with. Cheap to clone.
#[derive(Clone)]
pub struct State {
    router: axum::Router,
    service: Arc<ServiceContext>,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").finish_non_exhaustive()
    }
}

impl State {
    /// A service over a database, as its login `supabase_auth_admin`.
    ///
    /// `rng` must be seeded from the system's randomness: codes, session keys and ids are drawn
    /// from it.
    ///
    /// # Errors
    /// A mail template of the project that cannot be read.
    pub fn new(
        config: &Config,
        database: &Database,
        keyring: Arc<Keyring>,
        mail: MailQueue,
        rng: StdRng,
    ) -> Result<Self, TemplateError> {
        let service = ServiceContext::new(config, database, keyring, mail, rng)?;
        Ok(Self { router: routes(Arc::clone(&service)), service })
    }

    /// Sets how hooks call functions of the project (CONTRACT.md HK12). Only the first call counts.
    pub fn call_functions_by(&self, call: FunctionCall) {
        let _ = self.service.functions.set(call);
    }

    /// How long one request may take (CONTRACT.md W10).
    fn longest(&self) -> Duration {
        self.service.settings.max_request_duration
    }

    pub(crate) fn service(&self) -> &Arc<ServiceContext> {
        &self.service
    }

    /// What the gateway knows about a request. A token is valid exactly until its end, even if
    /// another node or the project's own backend signed it with another clock: clients refresh long
    /// before (CONTRACT.md B2).
    fn gateway_info(
        &self,
        caller: Identified,
        request: &http::Request<Body>,
        now: OffsetDateTime,
    ) -> GatewayInfo {
        let settings = &self.service.settings;
        let peer = request.extensions().get::<Peer>();
        let function = peer.and_then(Peer::function).cloned();
        let address = peer.and_then(Peer::address);
        let client = client_address::find(&settings.client_address, request.headers(), address);
        let device_cookies = DeviceCookies::of(request.headers());
        let caller = caller.and_then(|caller| match caller.claims().has_expired(now) {
            true => Err(TokenError::Expired),
            false => Ok(caller),
        });
        let gateway_info = GatewayInfo {
            caller,
            now,
            client,
            function,
            audited: settings.audit_log.postgres,
            device_cookies,
        };
        match client_address::of_user(request.headers()).filter(|_| gateway_info.by_service()) {
            Some(user) => GatewayInfo { client: Some(user), ..gateway_info },
            None => gateway_info,
        }
    }
}

/// Answers one request of `/auth/v1`. The path has no such prefix.
///
/// Dropping the future rolls back what was not committed. So does a panic, which is answered like
/// any other fault.
pub async fn handle(
    state: &State,
    caller: Identified,
    mut request: Request<Body>,
    now: OffsetDateTime,
) -> Response<Body> {
    let newer = error::wants_newer_errors(request.headers());
    let request_id =
        request.headers().get("x-request-id").and_then(|id| id.to_str().ok()).unwrap_or_default().to_owned();
    // Open endpoints do not look at the caller, and would answer this request.
    let is_repeated = matches!(caller, Err(TokenError::Repeated));
    let gateway_info = state.gateway_info(caller, &request, now);
    let device_cookies = gateway_info.device_cookies.clone();
    request.extensions_mut().insert(gateway_info);
    let mut answer = match is_repeated {
        true => AuthError::from(TokenError::Repeated).into_response(),
        false => routed(state, request).await,
    };
    device_cookies.write_to(answer.headers_mut());
    error::render(answer, newer, &request_id).map(|body| body.map_err(Into::into).boxed_unsync())
}

/// The answer of the endpoint, within the time limit.
async fn routed(state: &State, request: Request<Body>) -> Response<axum::body::Body> {
    let answer = state.router.clone().oneshot(request.map(axum::body::Body::new));
    match tokio::time::timeout(state.longest(), unless_panicked(answer)).await {
        Ok(Ok(answer)) => answer.unwrap_or_else(|never| match never {}),
        Ok(Err(panicked)) => panicked.into_response(),
        Err(_) => AuthError::Timeout.into_response(),
    }
}

/// Catches a panic of a request, so that it does not end the connection, which other requests use,
/// too.
async fn unless_panicked<T>(request: impl Future<Output = T>) -> Result<T, AuthError> {
    let mut request = pin!(request);
    let look = |context: &mut std::task::Context<'_>| {
        // A future that panicked is not polled again.
        let looked = catch_unwind(AssertUnwindSafe(|| request.as_mut().poll(context)));
        looked.map_or(Poll::Ready(Err(AuthError::Panicked)), |polled| polled.map(Ok))
    };
    poll_fn(look).await
}
