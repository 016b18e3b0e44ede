use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use http::{HeaderMap, StatusCode};
use serde::Deserialize;

use super::{HALF_CHANGED, Proven, Redeemed, of_link, redeem, redeem_for_session, token_types_of};
use crate::{
    context::ServiceContext,
    domain::{codes, limits::otp_attempts::CodeSource, redirects},
    rate_limit::Limit,
    store::{flow_states, one_time_tokens::TokenType},
    wire::{
        error::{AuthError, Followed, error_pairs, marked},
        redirect::{self, Pairs},
        request::{Query, RequestContext},
    },
};

/// Parameters of the link.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Parameters {
    token: String,
    r#type: String,
}

/// Answers mail scanners, which use HEAD, and does not use the link up (CONTRACT.md V11).
pub(crate) async fn head() -> StatusCode {
    StatusCode::OK
}

/// Follows the link of a mail: 303 to the application, with a session in the fragment, a code in
/// the query for links with a code challenge, or an error in both (CONTRACT.md V6 to V10).
pub(crate) async fn get(
    State(service): State<Arc<ServiceContext>>,
    context: RequestContext,
    headers: HeaderMap,
    Query(parameters): Query<Parameters>,
) -> Result<Response, AuthError> {
    if is_prefetch(&headers) {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    service.limits.take(Limit::Verify, &context.client_key(), context.now)?;
    if parameters.token.is_empty() {
        return Err(AuthError::validation("Verify requires a token or a token hash"));
    }
    let token_types = token_types_of(&parameters.r#type)?;
    let target = redirects::choose(&service.settings, &context);
    let pkce = codes::is_pkce(&parameters.token);
    let (query, fragment) = match follow(&service, &context, &parameters, &token_types).await {
        // A code is in the query, a message for a person in both (CONTRACT.md V10).
        Ok(pairs) if pkce && pairs.iter().any(|(name, _)| *name == "message") => (pairs.clone(), pairs),
        Ok(pairs) if pkce => (pairs, Vec::new()),
        Ok(pairs) => (Vec::new(), pairs),
        Err(error) => {
            if error.wire().status.is_server_error() {
                tracing::error!(error = error.cause(), "a link could not be followed");
            }
            let pairs = marked(error_pairs(&error, Followed::Link));
            (if pkce { pairs.clone() } else { Vec::new() }, pairs)
        }
    };
    redirect::to(StatusCode::SEE_OTHER, &target, &query, &fragment)
}

async fn follow(
    service: &ServiceContext,
    context: &RequestContext,
    parameters: &Parameters,
    token_types: &[String],
) -> Result<Pairs, AuthError> {
    if codes::is_pkce(&parameters.token) {
        return follow_for_code(service, context, parameters, token_types).await;
    }
    let pending = of_link(service, &service.pool, context, &parameters.token, token_types).await?;
    let source = (CodeSource::Followed, (|| AuthError::LinkRefused) as fn() -> AuthError);
    match redeem_for_session(service, context, (&pending, None), source).await? {
        Redeemed::Session(session) => {
            Ok(session.sign(service, context).await?.pairs(Some(&parameters.r#type)))
        }
        Redeemed::HalfChanged => Ok(half_changed()),
    }
}

/// A link with a code challenge opens no session: the exchange of its code does.
async fn follow_for_code(
    service: &ServiceContext,
    context: &RequestContext,
    parameters: &Parameters,
    token_types: &[String],
) -> Result<Pairs, AuthError> {
    let mut transaction = service.begin(context).await?;
    let tx = &mut transaction.tx();
    let pending = of_link(service, &mut *tx.db, context, &parameters.token, token_types).await?;
    let pairs = match redeem(tx, &pending, || AuthError::LinkRefused).await? {
        Proven::HalfChanged => half_changed(),
        Proven::SignedIn(user) => {
            let method = authentication_method(&pending.token_type, &parameters.r#type);
            let own = codes::flow_of(service, &parameters.token);
            let code = match flow_states::issue_code_of(tx.db, own, context.now).await? {
                Some(code) => Some(code),
                // A link of the reference. Its flow is found by user and method.
                None => flow_states::issue_code(tx.db, user, method, context.now).await?,
            };
            vec![("code", code.ok_or(AuthError::LinkRefused)?)]
        }
    };
    service.commit(transaction).await?;
    Ok(pairs)
}

fn half_changed() -> Pairs {
    marked(vec![("message", HALF_CHANGED.to_owned())])
}

/// The flow that a mail began. Sign-in and recovery share one type.
fn authentication_method(token_type: &str, kind: &str) -> &'static str {
    match (TokenType::parse(token_type), kind) {
        (Some(TokenType::Confirmation), "invite") => "invite",
        (Some(TokenType::Confirmation), _) => "email/signup",
        (Some(TokenType::EmailChangeCurrent | TokenType::EmailChangeNew), _) => "email_change",
        (_, "recovery") => "recovery",
        _ => "magiclink",
    }
}

/// Whether the browser or proxy only prefetches.
fn is_prefetch(headers: &HeaderMap) -> bool {
    ["purpose", "sec-purpose", "x-purpose", "x-moz"].iter().any(|name| {
        headers.get(*name).and_then(|value| value.to_str().ok()).is_some_and(|value| {
            let value = value.to_ascii_lowercase();
            value.contains("prefetch") || value.contains("preview")
        })
    })
}
