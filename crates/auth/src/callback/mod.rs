//! `/callback`: where a provider sends the browser back to (CONTRACT.md G5 to G12, H25).

/// Asking whoever came back whether an identity is to be linked.
mod question;

use std::sync::Arc;

use axum::{extract::State, response::Response};
use http::{HeaderMap, StatusCode, Uri, header};
use subtle::ConstantTimeEq;
use uuid::Uuid;

use crate::{
    authorize::{self, LIFE},
    error::{AuthError, ProviderError},
    linking::{self, Newcomer, Outcome},
    page,
    providers::{self, Grant},
    rate_limit::Limit,
    redirects::{self, Pairs},
    request::{Context, Fields, Raw},
    sessions::{self, IssuedSession, Opening},
    state::Inner,
    store::{
        flow_states::{self, ExternalFlow},
        times,
    },
};

/// What the provider sends along.
#[derive(Debug)]
struct Parameters {
    state: String,
    code: String,
    error: String,
    error_description: String,
}

impl Parameters {
    fn read(encoded: &[u8]) -> Self {
        let fields = Fields::read(encoded);
        let text = |name| fields.text(name).unwrap_or_default().to_owned();
        Self {
            state: text("state"),
            code: text("code"),
            error: text("error"),
            error_description: text("error_description"),
        }
    }
}

/// Answers of providers that redirect.
pub(crate) async fn get(
    State(inner): State<Arc<Inner>>,
    context: Context,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, AuthError> {
    let parameters = Parameters::read(uri.query().unwrap_or_default().as_bytes());
    answer(&inner, &context, &headers, &parameters).await
}

/// Answers of providers that post a form (CONTRACT.md G19), and of the page that asks about a link.
/// Browsers send no cookie of ours along with the former: where the flow needs one, they are asked
/// to come again by themselves.
pub(crate) async fn post(
    State(inner): State<Arc<Inner>>,
    context: Context,
    headers: HeaderMap,
    Raw(form): Raw,
) -> Result<Response, AuthError> {
    if let Some(answer) = question::Answer::read(&form) {
        return question::answered(&inner, &context, &headers, &answer).await;
    }
    let parameters = Parameters::read(&form);
    let state = parameters.state.parse::<Uuid>().ok();
    let is_bare = state.is_some_and(|state| !has_cookie(&inner, &headers, state));
    if is_bare && needs_cookie(&inner, state).await? {
        let again = format!("{}/callback", inner.settings.external_url);
        let pairs = [
            ("state", &parameters.state),
            ("code", &parameters.code),
            ("error", &parameters.error),
            ("error_description", &parameters.error_description),
        ];
        let query: Pairs =
            pairs.into_iter().filter(|(_, v)| !v.is_empty()).map(|(k, v)| (k, v.clone())).collect();
        return redirects::to(StatusCode::SEE_OTHER, &again, &query, &Pairs::new());
    }
    answer(&inner, &context, &headers, &parameters).await
}

/// The way on; a page for a browser whose flow leads nowhere yet.
async fn answer(
    inner: &Inner,
    context: &Context,
    headers: &HeaderMap,
    parameters: &Parameters,
) -> Result<Response, AuthError> {
    match arrive(inner, context, headers, parameters).await {
        Err(error) if page::is_wanted(headers) => Ok(page::of(&error)),
        answer => answer,
    }
}

async fn needs_cookie(inner: &Inner, state: Option<Uuid>) -> Result<bool, AuthError> {
    let Some(state) = state else { return Ok(false) };
    let flow = flow_states::external(&inner.pool, state).await?;
    Ok(flow.is_some_and(|flow| !flow.is_pkce))
}

/// Ends the flow in a redirect, whatever came of it: to the site when the state tells of no flow
/// (CONTRACT.md G9), else to where the flow was to lead.
///
/// # Errors
/// 429 `over_request_rate_limit`: each return may ask the provider.
async fn arrive(
    inner: &Inner,
    context: &Context,
    headers: &HeaderMap,
    parameters: &Parameters,
) -> Result<Response, AuthError> {
    inner.limits.take(Limit::Callback, &context.client_key(), context.now)?;
    let flow = match flow(inner, context, parameters).await {
        Ok(flow) => flow,
        Err(error) => return refused_at_site(inner, &error),
    };
    let is_bare = !flow.is_pkce && !has_cookie(inner, headers, flow.id);
    if is_bare && flow.linking_target.is_none() {
        return refused_at_site(inner, &ProviderError::StateOfAnother.into());
    }
    let target = target_of(inner, &flow);
    if !parameters.error.is_empty() {
        flow_states::take(&inner.pool, flow.id).await?;
        return refused_there(&target, parameters);
    }
    if is_bare {
        let asked =
            Box::pin(question::ask(inner, context, headers, &flow, (&parameters.code, &target))).await;
        return asked.or_else(|error| refused_at(&target, &error));
    }
    match Box::pin(complete(inner, context, &flow, &parameters.code)).await {
        Ok(Arrival::Code(code)) => {
            redirects::to(StatusCode::FOUND, &target, &vec![("code", code)], &Pairs::new())
        }
        Ok(Arrival::Session(session)) => {
            redirects::to(StatusCode::FOUND, &target, &Pairs::new(), &session.pairs(None))
        }
        Err(error) => refused_at(&target, &error),
    }
}

/// Where a flow leads.
fn target_of(inner: &Inner, flow: &ExternalFlow) -> String {
    let target = flow.redirect_to.clone().filter(|target| !target.is_empty());
    target.unwrap_or_else(|| inner.settings.site_url.clone())
}

/// Tells the site what is wrong with a state that leads nowhere.
fn refused_at_site(inner: &Inner, error: &AuthError) -> Result<Response, AuthError> {
    error.log("");
    redirects::to(StatusCode::SEE_OTHER, &inner.settings.site_url, &error_pairs(error), &Pairs::new())
}

/// Tells the application why a flow came to nothing.
fn refused_at(target: &str, error: &AuthError) -> Result<Response, AuthError> {
    error.log("");
    let pairs = error_pairs(error);
    let fragment = with_mark(pairs.clone());
    redirects::to(StatusCode::FOUND, target, &pairs, &fragment)
}

/// The flow of a state that may be used now.
async fn flow(inner: &Inner, context: &Context, parameters: &Parameters) -> Result<ExternalFlow, AuthError> {
    if parameters.state.is_empty() {
        return Err(ProviderError::StateMissing.into());
    }
    let state: Uuid = parameters.state.parse().map_err(|_| ProviderError::StateMalformed)?;
    let flow = flow_states::external(&inner.pool, state).await?.ok_or(ProviderError::StateUnknown)?;
    if flow.created_at.is_none_or(|created_at| !times::is_since(created_at, context.now - LIFE)) {
        return Err(ProviderError::StateExpired.into());
    }
    if flow.user_id.is_some() {
        return Err(ProviderError::StateUsed.into());
    }
    Ok(flow)
}

fn has_cookie(inner: &Inner, headers: &HeaderMap, state: Uuid) -> bool {
    let (name, value) = (authorize::cookie_name(inner, state), authorize::cookie_value(inner, state));
    holds(headers, &name, &value)
}

/// Whether the browser has a cookie of that value.
fn holds(headers: &HeaderMap, name: &str, value: &str) -> bool {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|cookies| cookies.to_str().ok())
        .flat_map(|cookies| cookies.split(';'))
        .filter_map(|cookie| cookie.trim().split_once('='))
        .any(|(key, given)| key == name && bool::from(given.as_bytes().ct_eq(value.as_bytes())))
}

/// What the browser takes to the application.
enum Arrival {
    Code(String),
    Session(Box<IssuedSession>),
}

/// Has the provider say who came. A state has one try, whatever comes of it: each costs a request with our secret.
async fn introduced(
    inner: &Inner,
    context: &Context,
    flow: &ExternalFlow,
    code: &str,
) -> Result<Grant, AuthError> {
    if code.is_empty() {
        return Err(ProviderError::CodeMissing.into());
    }
    let provider = inner.providers.find(&flow.provider)?;
    if !flow_states::claim(&inner.pool, flow.id, context.now).await? {
        return Err(ProviderError::StateUsed.into());
    }
    let published = inner.providers.published(&provider.issuer, context.now).await?;
    let verifier = authorize::verifier(inner, &published.discovery, flow.id);
    let grant =
        providers::exchange(&inner.providers, provider, (code, verifier.as_deref()), context.now).await?;
    if grant.profile.email.is_none() && !flow.email_optional {
        return Err(ProviderError::NoEmail.into());
    }
    Ok(grant)
}

async fn complete(
    inner: &Inner,
    context: &Context,
    flow: &ExternalFlow,
    code: &str,
) -> Result<Arrival, AuthError> {
    let grant = introduced(inner, context, flow, code).await?;
    let newcomer =
        Newcomer { provider: &flow.provider, email_optional: flow.email_optional, profile: &grant.profile };
    let mut transaction = inner.begin(context).await?;
    let outcome = loop {
        match decide(inner, &mut transaction, context, flow, &newcomer).await {
            Ok(outcome) => break outcome,
            Err(error) => transaction = inner.begin_anew(context, transaction, error).await?,
        }
    };
    let db = &mut *transaction;
    let user = match outcome {
        Outcome::Granted(user) => user,
        Outcome::Withheld(error) => {
            flow_states::take(&mut *db, flow.id).await?;
            inner.commit(transaction).await?;
            return Err(error);
        }
    };
    let handed = hand_over(inner, db, context, (flow, user), grant).await?;
    inner.commit(transaction).await?;
    match handed {
        Handed::Code(code) => Ok(Arrival::Code(code)),
        Handed::Session(opening) => Ok(Arrival::Session(Box::new(opening.signed(inner, context).await?))),
    }
}

/// What a flow brings once it is committed.
enum Handed {
    Code(String),
    Session(Box<Opening>),
}

/// Whose account it is, by what the flow was begun for.
async fn decide(
    inner: &Inner,
    db: &mut sqlx::PgConnection,
    context: &Context,
    flow: &ExternalFlow,
    newcomer: &Newcomer<'_>,
) -> Result<Outcome, AuthError> {
    match (flow.linking_target, flow.invite_token.as_deref()) {
        (Some(target), _) if flow.is_pkce => linking::prepare(db, context, (flow.id, target), newcomer).await,
        (Some(target), _) => linking::link(inner, db, context, target, newcomer).await,
        (None, Some(token)) => linking::accept(inner, db, context, token, newcomer).await,
        (None, None) => linking::sign_in(inner, db, context, newcomer).await,
    }
}

/// Uses the state up: each brings one code or one session, however many browsers come with it at a time.
async fn hand_over(
    inner: &Inner,
    db: &mut sqlx::PgConnection,
    context: &Context,
    (flow, user): (&ExternalFlow, Uuid),
    grant: Grant,
) -> Result<Handed, AuthError> {
    if flow.is_pkce {
        let tokens = (grant.access_token.as_str(), grant.refresh_token.as_deref());
        if !flow_states::fulfil(db, flow.id, user, tokens, context.now).await? {
            return Err(ProviderError::StateUsed.into());
        }
        return Ok(Handed::Code(flow.auth_code.clone().ok_or(ProviderError::StateUnknown)?));
    }
    if !flow_states::take(&mut *db, flow.id).await? {
        return Err(ProviderError::StateUnknown.into());
    }
    let opening = sessions::open(inner, db, context, user, "oauth").await?;
    let opening = opening.with_tokens_of_provider((Some(grant.access_token), grant.refresh_token));
    Ok(Handed::Session(Box::new(opening)))
}

/// What the provider said, unchanged (CONTRACT.md G8).
fn refused_there(target: &str, parameters: &Parameters) -> Result<Response, AuthError> {
    let pairs: Pairs = vec![
        ("error", parameters.error.clone()),
        ("error_description", parameters.error_description.clone()),
    ];
    let fragment = with_mark(pairs.clone());
    redirects::to(StatusCode::FOUND, target, &pairs, &fragment)
}

/// An error as the application reads it from its address (CONTRACT.md G10).
fn error_pairs(error: &AuthError) -> Pairs {
    let wire = error.wire();
    let name = match (wire.code, wire.status.as_u16()) {
        ("signup_disabled" | "user_banned" | "provider_email_needs_verification", _) => "access_denied",
        (_, 400) => "invalid_request",
        (_, 401) => "unauthorized_client",
        (_, 403) => "access_denied",
        (_, 503) => "temporarily_unavailable",
        _ => "server_error",
    };
    vec![
        ("error", name.to_owned()),
        ("error_code", wire.code.to_owned()),
        ("error_description", wire.message),
    ]
}

/// The mark by which clients know a fragment of ours (CONTRACT.md E9).
fn with_mark(mut pairs: Pairs) -> Pairs {
    pairs.push(("sb", String::new()));
    pairs
}
