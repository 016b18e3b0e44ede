use std::sync::Arc;

use axum::{
    Router,
    extract::FromRef,
    routing::{get, post},
};
use banyan_identity::Identified;
use http::{Request, Response};
use http_body_util::BodyExt;
use time::OffsetDateTime;
use tower::ServiceExt;

use crate::{
    Body, State, admin, authorize, error, health, invite, jwks, logout, otp, reauthenticate, recover,
    request::Arrival, resend, settings, signup, state::Inner, token, user, verify,
};

/// What axum hands to endpoints.
#[derive(Clone)]
pub(crate) struct Shared(Arc<Inner>);

impl FromRef<Shared> for Arc<Inner> {
    fn from_ref(shared: &Shared) -> Self {
        Arc::clone(&shared.0)
    }
}

/// The routes of the service; paths have no `/auth/v1`.
pub(crate) fn routes(inner: Arc<Inner>) -> Router {
    Router::new()
        .route("/health", get(health::get))
        .route("/settings", get(settings::get))
        .route("/.well-known/jwks.json", get(jwks::get))
        .route("/otp", post(otp::post))
        .route("/magiclink", post(otp::post))
        .route("/resend", post(resend::post))
        .route("/verify", get(verify::get::get).head(verify::get::head).post(verify::post::post))
        .route("/token", post(token::post))
        .route("/signup", post(signup::post))
        .route("/recover", post(recover::post))
        .route("/invite", post(invite::post))
        .route("/reauthenticate", get(reauthenticate::get))
        .route("/user", get(user::get::get).put(user::put::put))
        .route("/logout", post(logout::post))
        .route("/authorize", get(authorize::get))
        .route("/callback", get(authorize::callback))
        .route("/admin/users", get(admin::list::get).post(admin::create::post))
        .route("/admin/users/{id}", get(admin::user::get).put(admin::update::put).delete(admin::user::delete))
        .route("/admin/generate_link", post(admin::generate_link::post))
        .fallback(async || error::AuthError::NotFound)
        .method_not_allowed_fallback(async || error::AuthError::Method)
        .with_state(Shared(inner))
}

/// Answers one request of `/auth/v1`; the path comes without that prefix.
///
/// Errors have the form that the header `X-Supabase-Api-Version` asks for (auth.md E1, E2). Dropping the future rolls
/// back what was not committed.
pub async fn handle(
    state: &State,
    caller: Identified,
    mut request: Request<Body>,
    now: OffsetDateTime,
) -> Response<Body> {
    let newer = error::wants_newer_errors(request.headers());
    let request_id =
        request.headers().get("x-request-id").and_then(|id| id.to_str().ok()).unwrap_or_default().to_owned();
    let peer = request.extensions().get::<std::net::SocketAddr>().copied();
    request.extensions_mut().insert(Arrival { caller, now, peer });
    let answer = state.router().oneshot(request.map(axum::body::Body::new)).await;
    let answer = answer.unwrap_or_else(|never| match never {});
    error::render(answer, newer, &request_id).map(|body| body.map_err(Into::into).boxed_unsync())
}
