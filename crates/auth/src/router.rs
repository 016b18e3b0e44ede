use std::sync::Arc;

use axum::{
    Router,
    middleware::{from_fn, from_fn_with_state},
    routing::{delete, get, patch, post, put},
};

use crate::{
    context::{RouterContext, ServiceContext},
    endpoints::{
        admin, authorize, callback, factors, health, invite, logout, not_offered, otp, passkeys,
        reauthenticate, recover, resend, settings, signup, token, user, verify,
        well_known::{jwks, openid_configuration},
    },
    guards::{captcha, refused_redirect},
    wire::{error, request},
};

/// The routes of the service; paths have no `/auth/v1`.
pub(crate) fn routes(service: Arc<ServiceContext>) -> Router {
    let guard = from_fn_with_state(Arc::clone(&service), captcha::guard);
    Router::new()
        .route("/otp", post(otp::post))
        .route("/magiclink", post(otp::magiclink))
        .route("/resend", post(resend::post))
        .route("/token", post(token::post))
        .route("/signup", post(signup::post))
        .route("/recover", post(recover::post))
        .route("/passkeys/authentication/options", post(passkeys::authentication::options))
        .route_layer(guard)
        // With `[auth.captcha]` on, the routes above ask for a captcha (CONTRACT.md CA2).
        .route("/health", get(health::get))
        .route("/settings", get(settings::get))
        .route("/.well-known/jwks.json", get(jwks::get))
        .route("/.well-known/openid-configuration", get(openid_configuration::get))
        .route("/verify", get(verify::get::get).head(verify::get::head).post(verify::post::post))
        .route("/invite", post(invite::post))
        .route("/reauthenticate", get(reauthenticate::get))
        .route("/user", get(user::get::get).put(user::put::put))
        .route("/factors", post(factors::enroll::post))
        .route("/factors/{id}", delete(factors::unenroll::delete))
        .route("/factors/{id}/challenge", post(factors::challenge::post))
        .route("/factors/{id}/verify", post(factors::verify::post))
        .route("/passkeys", get(passkeys::manage::list))
        .route("/passkeys/{id}", patch(passkeys::manage::patch).delete(passkeys::manage::delete))
        .route("/passkeys/registration/options", post(passkeys::registration::options))
        .route("/passkeys/registration/verify", post(passkeys::registration::verify))
        .route("/passkeys/authentication/verify", post(passkeys::authentication::verify))
        .route("/user/identities/authorize", get(user::identities::authorize))
        .route("/user/identities/{identity_id}", delete(user::identities::delete))
        .route("/user/sessions", get(user::sessions::get))
        .route("/user/sessions/{id}", delete(user::sessions::delete))
        .route("/logout", post(logout::post))
        // HEAD must not use anything up.
        .route("/authorize", get(authorize::get).head(head_not_allowed))
        .route("/callback", get(callback::get).post(callback::post).head(head_not_allowed))
        .route("/admin/users", get(admin::users::list::get).post(admin::users::create::post))
        .route(
            "/admin/users/{id}",
            get(admin::users::get::get).put(admin::users::put::put).delete(admin::users::delete::delete),
        )
        .route("/admin/users/{id}/sessions", get(admin::users::sessions::get))
        .route("/admin/users/{id}/sessions/{session}", delete(admin::users::sessions::delete))
        .route("/admin/users/{id}/factors", get(admin::users::factors::get))
        .route(
            "/admin/users/{id}/factors/{factor}",
            put(admin::users::factors::put).delete(admin::users::factors::delete),
        )
        .route("/admin/users/{id}/passkeys", get(admin::users::passkeys::get))
        .route("/admin/users/{id}/passkeys/{passkey}", delete(admin::users::passkeys::delete))
        .route("/admin/audit", get(admin::audit::get))
        .route("/admin/generate_link", post(admin::generate_link::post))
        .route("/admin/oauth/clients", get(admin::oauth::clients::list).post(admin::oauth::clients::create))
        .route(
            "/admin/oauth/clients/{id}",
            get(admin::oauth::clients::get)
                .put(admin::oauth::clients::put)
                .delete(admin::oauth::clients::delete),
        )
        .route("/admin/oauth/clients/{id}/regenerate_secret", post(admin::oauth::clients::regenerate_secret))
        .merge(not_offered::routes())
        .fallback(async || error::AuthError::NotFound)
        .method_not_allowed_fallback(async || error::AuthError::Method)
        .layer(from_fn_with_state(RouterContext(Arc::clone(&service)), refused_redirect::add_header))
        .layer(from_fn(request::refuse_nul))
        .with_state(RouterContext(service))
}

async fn head_not_allowed() -> error::AuthError {
    error::AuthError::Method
}
