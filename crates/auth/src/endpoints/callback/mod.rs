//! `/callback`: where a provider sends the browser back to (CONTRACT.md G5 to G12, H25).

/// Asks the user whether to link an identity.
mod confirm_link;

/// The page that asks.
mod link_page;

use std::sync::Arc;

use axum::{extract::State, response::Response};
use http::{HeaderMap, StatusCode, Uri, header};
use subtle::ConstantTimeEq;
use uuid::Uuid;

use crate::{
    context::ServiceContext,
    domain::{
        linking::{self, ExternalUser, Outcome},
        sessions::{self, IssuedSession, UnsignedSession},
    },
    endpoints::authorize::{self, LIFE},
    providers::{self, AuthorizationCode, Grant},
    rate_limit::Limit,
    store::{
        flow_states::{self, ExternalFlow, ProviderGrant},
        times,
    },
    tx::Tx,
    wire::{
        error::{AuthError, Followed, ProviderError, error_pairs, marked},
        page,
        redirect::{self, Pairs},
        request::{Fields, Raw, RequestContext},
    },
};

/// Parameters from the provider.
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

/// Providers that redirect.
pub(crate) async fn get(
    State(service): State<Arc<ServiceContext>>,
    context: RequestContext,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, AuthError> {
    let parameters = Parameters::read(uri.query().unwrap_or_default().as_bytes());
    answer(&service, &context, &headers, &parameters).await
}

/// Providers that post a form (CONTRACT.md G19), and the form of the page about a link. Browsers
/// send no cookie with the form of a provider. If the flow needs one, they are redirected to come
/// again.
pub(crate) async fn post(
    State(service): State<Arc<ServiceContext>>,
    context: RequestContext,
    headers: HeaderMap,
    Raw(form): Raw,
) -> Result<Response, AuthError> {
    if let Some(answer) = confirm_link::Answer::read(&form) {
        return confirm_link::answer_form(&service, &context, &headers, &answer).await;
    }
    let parameters = Parameters::read(&form);
    let state = parameters.state.parse::<Uuid>().ok();
    let is_bare = state.is_some_and(|state| !has_cookie(&service, &headers, state));
    if is_bare && needs_cookie(&service, state).await? {
        let again = format!("{}/callback", service.settings.external_url);
        let pairs = [
            ("state", &parameters.state),
            ("code", &parameters.code),
            ("error", &parameters.error),
            ("error_description", &parameters.error_description),
        ];
        let query: Pairs =
            pairs.into_iter().filter(|(_, v)| !v.is_empty()).map(|(k, v)| (k, v.clone())).collect();
        return redirect::to(StatusCode::SEE_OTHER, &again, &query, &Pairs::new());
    }
    answer(&service, &context, &headers, &parameters).await
}

/// The redirect onwards, or a page if the flow leads nowhere.
async fn answer(
    service: &ServiceContext,
    context: &RequestContext,
    headers: &HeaderMap,
    parameters: &Parameters,
) -> Result<Response, AuthError> {
    match finish(service, context, headers, parameters).await {
        Err(error) if page::is_wanted(headers) => Ok(page::of(&error)),
        answer => answer,
    }
}

async fn needs_cookie(service: &ServiceContext, state: Option<Uuid>) -> Result<bool, AuthError> {
    let Some(state) = state else { return Ok(false) };
    let flow = flow_states::external(&service.pool, state).await?;
    Ok(flow.is_some_and(|flow| !flow.is_pkce))
}

/// Ends the flow in a redirect: to the site if the state belongs to no flow (CONTRACT.md G9), else
/// to the target of the flow.
///
/// # Errors
/// 429 `over_request_rate_limit`, because each callback may ask the provider.
async fn finish(
    service: &ServiceContext,
    context: &RequestContext,
    headers: &HeaderMap,
    parameters: &Parameters,
) -> Result<Response, AuthError> {
    service.limits.take(Limit::Callback, &context.client_key(), context.now)?;
    let flow = match flow(service, context, parameters).await {
        Ok(flow) => flow,
        Err(error) => return refused_at_site(service, &error),
    };
    let is_bare = !flow.is_pkce && !has_cookie(service, headers, flow.id);
    if is_bare && flow.linking_target.is_none() {
        return refused_at_site(service, &ProviderError::StateOfAnother.into());
    }
    let target = target_of(service, &flow);
    if !parameters.error.is_empty() {
        flow_states::take(&service.pool, flow.id).await?;
        return provider_refused(&target, parameters);
    }
    if is_bare {
        let callback =
            confirm_link::LinkCallback { headers, flow: &flow, code: &parameters.code, target: &target };
        let asked = Box::pin(confirm_link::ask(service, context, &callback)).await;
        return asked.or_else(|error| refused_at(&target, &error));
    }
    match Box::pin(complete(service, context, &flow, &parameters.code)).await {
        Ok(Completion::Code(code)) => {
            redirect::to(StatusCode::FOUND, &target, &vec![("code", code)], &Pairs::new())
        }
        Ok(Completion::Session(session)) => {
            redirect::to(StatusCode::FOUND, &target, &Pairs::new(), &session.pairs(None))
        }
        Err(error) => refused_at(&target, &error),
    }
}

/// The target of a flow.
fn target_of(service: &ServiceContext, flow: &ExternalFlow) -> String {
    let target = flow.redirect_to.clone().filter(|target| !target.is_empty());
    target.unwrap_or_else(|| service.settings.site_url.clone())
}

/// Redirects to the site with the error of a state that belongs to no flow.
fn refused_at_site(service: &ServiceContext, error: &AuthError) -> Result<Response, AuthError> {
    error.log("");
    redirect::to(
        StatusCode::SEE_OTHER,
        &service.settings.site_url,
        &error_pairs(error, Followed::Provider),
        &Pairs::new(),
    )
}

/// Redirects to the application with the error of the flow.
fn refused_at(target: &str, error: &AuthError) -> Result<Response, AuthError> {
    error.log("");
    let pairs = error_pairs(error, Followed::Provider);
    let fragment = marked(pairs.clone());
    redirect::to(StatusCode::FOUND, target, &pairs, &fragment)
}

/// The flow of a state, if it can be used now.
async fn flow(
    service: &ServiceContext,
    context: &RequestContext,
    parameters: &Parameters,
) -> Result<ExternalFlow, AuthError> {
    if parameters.state.is_empty() {
        return Err(ProviderError::StateMissing.into());
    }
    let state: Uuid = parameters.state.parse().map_err(|_| ProviderError::StateMalformed)?;
    let flow = flow_states::external(&service.pool, state).await?.ok_or(ProviderError::StateUnknown)?;
    if flow.created_at.is_none_or(|created_at| !times::is_since(created_at, context.now - LIFE)) {
        return Err(ProviderError::StateExpired.into());
    }
    if flow.user_id.is_some() {
        return Err(ProviderError::StateUsed.into());
    }
    Ok(flow)
}

fn has_cookie(service: &ServiceContext, headers: &HeaderMap, state: Uuid) -> bool {
    let (name, value) = (authorize::cookie_name(service, state), authorize::cookie_value(service, state));
    holds(headers, &name, &value)
}

/// Whether the browser sent a cookie with this value.
fn holds(headers: &HeaderMap, name: &str, value: &str) -> bool {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|cookies| cookies.to_str().ok())
        .flat_map(|cookies| cookies.split(';'))
        .filter_map(|cookie| cookie.trim().split_once('='))
        .any(|(key, given)| key == name && bool::from(given.as_bytes().ct_eq(value.as_bytes())))
}

/// What the application gets.
enum Completion {
    Code(String),
    Session(Box<IssuedSession>),
}

/// Exchanges the code at the provider. Each state has one attempt, because each costs a request
/// with the client secret.
async fn exchange_code(
    service: &ServiceContext,
    context: &RequestContext,
    flow: &ExternalFlow,
    code: &str,
) -> Result<Grant, AuthError> {
    if code.is_empty() {
        return Err(ProviderError::CodeMissing.into());
    }
    let provider = service.providers.find(&flow.provider)?;
    if !flow_states::claim(&service.pool, flow.id, context.now).await? {
        return Err(ProviderError::StateUsed.into());
    }
    let published = service.providers.published(&provider.issuer, context.now).await?;
    let verifier = authorize::verifier(service, &published.discovery, flow.id);
    let code = AuthorizationCode { code, verifier: verifier.as_deref() };
    let grant = providers::exchange(&service.providers, provider, &code, context.now).await?;
    if grant.profile.email.is_none() && !flow.email_optional {
        return Err(ProviderError::NoEmail.into());
    }
    Ok(grant)
}

async fn complete(
    service: &ServiceContext,
    context: &RequestContext,
    flow: &ExternalFlow,
    code: &str,
) -> Result<Completion, AuthError> {
    let grant = exchange_code(service, context, flow, code).await?;
    let external_user = ExternalUser {
        provider: &flow.provider,
        email_optional: flow.email_optional,
        profile: &grant.profile,
    };
    let mut transaction = service.begin(context).await?;
    let outcome = loop {
        match decide(&mut transaction.tx(), flow, &external_user).await {
            Ok(outcome) => break outcome,
            Err(error) => transaction = service.begin_again(context, transaction, error).await?,
        }
    };
    let tx = &mut transaction.tx();
    let user = match outcome {
        Outcome::Granted(user) => user,
        Outcome::Withheld(error) => {
            flow_states::take(&mut *tx.db, flow.id).await?;
            service.commit(transaction).await?;
            return Err(error);
        }
    };
    let handed = hand_over(tx, flow, user, grant).await?;
    service.commit(transaction).await?;
    match handed {
        Granted::Code(code) => Ok(Completion::Code(code)),
        Granted::Session(unsigned) => {
            Ok(Completion::Session(Box::new(unsigned.sign(service, context).await?)))
        }
    }
}

/// What the flow grants after the commit.
enum Granted {
    Code(String),
    Session(Box<UnsignedSession>),
}

/// Decides whose account it is, by the purpose of the flow.
async fn decide(
    tx: &mut Tx<'_>,
    flow: &ExternalFlow,
    external_user: &ExternalUser<'_>,
) -> Result<Outcome, AuthError> {
    match (flow.linking_target, flow.invite_token.as_deref()) {
        (Some(target), _) if flow.is_pkce => linking::prepare(tx, flow.id, target, external_user).await,
        (Some(target), _) => linking::link(tx, target, external_user).await,
        (None, Some(token)) => linking::accept(tx, token, external_user).await,
        (None, None) => linking::sign_in(tx, external_user).await,
    }
}

/// Uses the state up. Each state gives one code or one session, even if several browsers come with
/// it at a time.
async fn hand_over(
    tx: &mut Tx<'_>,
    flow: &ExternalFlow,
    user: Uuid,
    grant: Grant,
) -> Result<Granted, AuthError> {
    if flow.is_pkce {
        let granted = ProviderGrant {
            user,
            access_token: &grant.access_token,
            refresh_token: grant.refresh_token.as_deref(),
        };
        if !flow_states::fulfil(tx.db, flow.id, &granted, tx.context.now).await? {
            return Err(ProviderError::StateUsed.into());
        }
        return Ok(Granted::Code(flow.auth_code.clone().ok_or(ProviderError::StateUnknown)?));
    }
    if !flow_states::take(&mut *tx.db, flow.id).await? {
        return Err(ProviderError::StateUnknown.into());
    }
    let unsigned = sessions::open(tx, user, "oauth").await?;
    let unsigned = unsigned.with_tokens_of_provider((Some(grant.access_token), grant.refresh_token));
    Ok(Granted::Session(Box::new(unsigned)))
}

/// Passes the error of the provider on, unchanged (CONTRACT.md G8).
fn provider_refused(target: &str, parameters: &Parameters) -> Result<Response, AuthError> {
    let pairs: Pairs = vec![
        ("error", parameters.error.clone()),
        ("error_description", parameters.error_description.clone()),
    ];
    let fragment = marked(pairs.clone());
    redirect::to(StatusCode::FOUND, target, &pairs, &fragment)
}
