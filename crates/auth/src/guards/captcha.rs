//! Captcha (CONTRACT.md CA1, CA2): a layer before the routes that send mail or check passwords.

use std::{sync::Arc, time::Duration};

use axum::{
    body::Body,
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use banyan_config::Captcha;
use banyan_web::query_parameter;
use bytes::Bytes;
use http::header;
use http_body_util::Full;
use secrecy::ExposeSecret;
use serde::Deserialize;
use serde_json::Value;
use tokio::time::Instant;

use crate::{
    context::ServiceContext,
    domain::{account_origin, enumeration_guard},
    rate_limit::Limit,
    wire::{
        email::AddressInput,
        error::AuthError,
        pkce::ChallengeInput,
        request::{self, gateway_info},
    },
};

/// Time limit of the provider.
const LONGEST: Duration = Duration::from_secs(10);
/// Size limit of its answer, in bytes.
const LARGEST_ANSWER: usize = 64 * 1024;
/// Guarded routes whose refusal disputes an account. `/signup` is not among them: a refused user
/// stays at the form, and the next request is judged by its password. A button that is pressed
/// twice sends a used captcha. Without this exception, anybody could void the passwords of other
/// sign-ups without solving a captcha. The price: an owner may type in a code of somebody else
/// without a sign-up of their own.
const CODE_ROUTES: [&str; 3] = ["/otp", "/magiclink", "/recover"];

/// Lets a request pass that carries a solved captcha, or the service key.
pub(crate) async fn guard(
    State(service): State<Arc<ServiceContext>>,
    request: Request,
    next: Next,
) -> Result<Response, AuthError> {
    let Some(captcha) = &service.settings.captcha else { return Ok(next.run(request).await) };
    let (parts, body) = request.into_parts();
    let gateway_info = gateway_info(&parts)?;
    if gateway_info.by_service() || is_exempt(&parts.uri) {
        return Ok(next.run(Request::from_parts(parts, body)).await);
    }
    let (bytes, path) = (request::read(body).await?, parts.uri.path());
    // Each token costs one call to the provider.
    let within_limit = service.limits.take(Limit::Captcha, &gateway_info.client_key(), gateway_info.now);
    dispute_on_error(&service, path, &bytes, within_limit).await?;
    let passed = check(&service, captcha, &bytes, gateway_info.client).await;
    dispute_on_error(&service, path, &bytes, passed).await?;
    Ok(next.run(Request::from_parts(parts, Body::from(bytes))).await)
}

/// The address that a code is for, and the challenge of the request.
#[derive(Deserialize)]
struct CodeRequest {
    #[serde(flatten)]
    address: AddressInput,
    #[serde(flatten)]
    challenge: ChallengeInput,
}

/// Passes an outcome on. A refused request disputes the account like any other failed one
/// ([`crate::domain::ownership_proof`]), because its sender may find the code of somebody else in
/// the inbox. It takes a fixed time, however long the provider took.
async fn dispute_on_error(
    service: &ServiceContext,
    path: &str,
    body: &[u8],
    outcome: Result<(), AuthError>,
) -> Result<(), AuthError> {
    if outcome.is_ok() || !CODE_ROUTES.contains(&path) {
        return outcome;
    }
    let began = Instant::now();
    let Ok(CodeRequest { address, challenge }) = serde_json::from_slice(body) else { return outcome };
    let (Ok(address), Ok(challenge)) = (address.check(), challenge.check()) else { return outcome };
    enumeration_guard::refusal(
        began,
        account_origin::dispute_on_error(service, (&address, challenge.as_ref()), outcome).await,
    )
    .await
}

/// Grants whose request already proves something.
fn is_exempt(uri: &http::Uri) -> bool {
    uri.path() == "/token"
        && query_parameter(uri, "grant_type")
            .is_some_and(|grant| matches!(&*grant, "pkce" | "refresh_token" | "id_token"))
}

#[derive(Deserialize)]
struct Verdict {
    success: bool,
    #[serde(rename = "error-codes", default)]
    error_codes: Vec<String>,
}

async fn check(
    service: &ServiceContext,
    captcha: &Captcha,
    body: &[u8],
    client: Option<std::net::IpAddr>,
) -> Result<(), AuthError> {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let token = body["gotrue_meta_security"]["captcha_token"].as_str().unwrap_or_default().trim();
    if token.is_empty() {
        return Err(AuthError::Captcha("no captcha_token found".to_owned()));
    }
    let form = url::form_urlencoded::Serializer::new(String::new())
        .append_pair("secret", captcha.secret.expose_secret().trim())
        .append_pair("response", token)
        .append_pair("remoteip", &client.map(|ip| ip.to_string()).unwrap_or_default())
        .finish();
    let unavailable = |cause: String| AuthError::CaptchaUnavailable(cause);
    let request = http::Request::post(&captcha.url)
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .body(Full::new(Bytes::from(form)))
        .map_err(|error| unavailable(error.to_string()))?;
    let reply = service.outbound.send(request, LONGEST, LARGEST_ANSWER).await;
    let reply = reply.map_err(|error| unavailable(error.to_string()))?;
    let verdict: Verdict =
        serde_json::from_slice(&reply.body).map_err(|error| unavailable(error.to_string()))?;
    if verdict.success { Ok(()) } else { Err(AuthError::Captcha(verdict.error_codes.join(", "))) }
}
