//! `GET /authorize`: sends a browser to a provider (CONTRACT.md G1 to G4, H24).

use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use time::Duration;
use url::Url;
use uuid::Uuid;

use crate::{
    context::ServiceContext,
    domain::{linking, redirects},
    guards::bearer::Bearer,
    providers::{Discovery, Provider},
    rate_limit::Limit,
    store::flow_states::{self, NewExternalFlow},
    tx::Tx,
    wire::{
        error::{AuthError, ProviderError},
        page,
        pkce::{Challenge, ChallengeInput},
        request::{Fields, RequestContext},
    },
};

/// How long a browser may stay with the provider (CONTRACT.md G3, K6).
pub(crate) const LIFE: Duration = Duration::minutes(5);

/// Parameters that only the service sets. Those of a client are dropped (CONTRACT.md G1).
const RESERVED: [&str; 9] = [
    "client_id",
    "client_secret",
    "redirect_uri",
    "response_type",
    "state",
    "code_challenge",
    "code_challenge_method",
    "code_verifier",
    "scope",
];
/// Parameters for the service, not for the provider.
const OUR_PARAMETERS: [&str; 5] = ["provider", "scopes", "redirect_to", "invite_token", "skip_http_redirect"];

/// A redirect to a provider.
pub(crate) struct ProviderRedirect {
    pub(crate) url: String,
    /// Ties an implicit flow to its browser. A code challenge does that for other flows.
    pub(crate) cookie: Option<HeaderValue>,
}

/// 302 to the provider. A refusal is JSON, or a page for a browser that wants one.
pub(crate) async fn get(
    State(service): State<Arc<ServiceContext>>,
    context: RequestContext,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, AuthError> {
    match send_to_provider(&service, &context, &uri, None).await {
        Ok(ProviderRedirect { url, cookie }) => redirect_found(&url, cookie),
        Err(error) if page::is_wanted(&headers) => Ok(page::of(&error)),
        Err(error) => Err(error),
    }
}

/// Stores the flow, and returns the address of the provider. `linking` is the user who links an
/// identity.
///
/// # Errors
/// As [`Bearer::lock_to_link`]; 429 `over_request_rate_limit`; 400 `validation_failed` for a
/// provider that is off or unknown, and for a malformed challenge; 404 `user_not_found` for an
/// unknown invitation.
pub(crate) async fn send_to_provider(
    service: &ServiceContext,
    context: &RequestContext,
    uri: &Uri,
    linking: Option<&Bearer>,
) -> Result<ProviderRedirect, AuthError> {
    // Each redirect stores a row for a while, and may ask the provider.
    service.limits.take(Limit::Authorize, &context.client_key(), context.now)?;
    let wanted = AuthorizeRequest::read(service, uri)?;
    let published = service.providers.published(&wanted.provider.issuer, context.now).await?;
    let state = service.new_id();
    let url = address(service, &wanted, &published.discovery, state)?;
    let mut transaction = service.begin(context).await?;
    begin(&mut transaction.tx(), state, &wanted, linking).await?;
    service.commit(transaction).await?;
    // A challenge ties the code to its browser already.
    let cookie_for_flow = || cookie(service, &cookie_name(service, state), &cookie_value(service, state));
    let cookie = wanted.challenge.is_none().then(cookie_for_flow);
    Ok(ProviderRedirect { url, cookie })
}

/// What a browser asks for.
struct AuthorizeRequest<'a> {
    provider: &'a Provider,
    challenge: Option<Challenge>,
    invite_token: Option<String>,
    query: Fields,
}

impl<'a> AuthorizeRequest<'a> {
    fn read(service: &'a ServiceContext, uri: &Uri) -> Result<Self, AuthError> {
        let query = Fields::read(uri.query().unwrap_or_default().as_bytes());
        let given = |name: &str| query.text(name).map(str::to_owned);
        let provider = service.providers.find(&given("provider").unwrap_or_default())?;
        let input = ChallengeInput {
            code_challenge: given("code_challenge"),
            code_challenge_method: given("code_challenge_method"),
        };
        let (challenge, invite_token) = (input.check()?, given("invite_token"));
        Ok(Self { provider, challenge, invite_token, query })
    }
}

/// Stores the flow. Of an invitation it stores only the hash of the token, which opens nothing.
async fn begin(
    tx: &mut Tx<'_>,
    state: Uuid,
    wanted: &AuthorizeRequest<'_>,
    linking: Option<&Bearer>,
) -> Result<(), AuthError> {
    let (service, context) = (tx.service, tx.context);
    if let Some(bearer) = linking {
        // The call to the provider took time. A sign-out from now on finds the flow.
        bearer.lock_to_link(tx.db, context.now).await?;
    }
    let invitation = match &wanted.invite_token {
        Some(token) => Some(linking::invited(tx, token).await?.ok_or(ProviderError::InvitedUserNotFound)?),
        None => None,
    };
    let flow = NewExternalFlow {
        id: state,
        provider: &wanted.provider.name,
        challenge: wanted.challenge.as_ref().map(|c| (c.value.as_str(), c.method.name(), service.new_id())),
        redirect_to: &redirects::choose(&service.settings, context),
        invite_token: invitation.as_ref().map(|invitation| invitation.token_hash.as_str()),
        linking_target: linking.map(|bearer| bearer.user.id),
        email_optional: wanted.provider.email_optional,
    };
    flow_states::begin_external(tx.db, &flow, context.now).await?;
    flow_states::forget_external(tx.db, context.now - LIFE - Duration::HOUR).await?;
    Ok(())
}

/// The address at the provider.
fn address(
    service: &ServiceContext,
    wanted: &AuthorizeRequest<'_>,
    discovery: &Discovery,
    state: Uuid,
) -> Result<String, AuthError> {
    let (provider, query) = (wanted.provider, &wanted.query);
    let endpoint = discovery.authorization_endpoint.as_deref().ok_or(ProviderError::NotForRedirects)?;
    let mut url = Url::parse(endpoint).map_err(|_| ProviderError::NotForRedirects)?;
    let scopes: Vec<&str> = provider
        .scopes()
        .iter()
        .copied()
        .chain(query.text("scopes").unwrap_or_default().split([' ', ',']).filter(|scope| !scope.is_empty()))
        .collect();
    let mut pairs = url.query_pairs_mut();
    pairs
        .append_pair("client_id", provider.client_id())
        .append_pair("redirect_uri", &provider.redirect_uri)
        .append_pair("response_type", "code")
        .append_pair("scope", &scopes.join(" "))
        .append_pair("state", &state.to_string());
    if let Some(verifier) = verifier(service, discovery, state) {
        pairs
            .append_pair("code_challenge", &crate::wire::pkce::s256(&verifier))
            .append_pair("code_challenge_method", "S256");
    }
    if provider.name == "apple" {
        // Apple gives name and address by a form only.
        pairs.append_pair("response_mode", "form_post");
    }
    for (name, value) in query.pairs() {
        let lower = name.to_ascii_lowercase();
        if !RESERVED.contains(&lower.as_str()) && !OUR_PARAMETERS.contains(&lower.as_str()) {
            pairs.append_pair(name, value);
        }
    }
    drop(pairs);
    Ok(url.into())
}

/// The code verifier between the service and the provider, if the provider takes one. It is derived
/// from the state, so nothing else is stored.
pub(crate) fn verifier(service: &ServiceContext, discovery: &Discovery, state: Uuid) -> Option<String> {
    let takes_one = discovery.code_challenge_methods_supported.iter().any(|method| method == "S256");
    takes_one.then(|| hex::encode(service.keyed_hash("auth provider verifier", &[state.as_bytes()])))
}

/// Name of the cookie of a flow. With TLS, the prefix keeps neighbouring hosts from setting it.
pub(crate) fn cookie_name(service: &ServiceContext, state: Uuid) -> String {
    let prefix = if service.settings.external_url.starts_with("https://") { "__Host-" } else { "" };
    format!("{prefix}sb-flow-{}", state.simple())
}

/// Value of the cookie of a flow.
pub(crate) fn cookie_value(service: &ServiceContext, state: Uuid) -> String {
    hex::encode(service.keyed_hash("auth flow cookie", &[state.as_bytes()]))
}

/// A cookie that lives as long as a flow. Browsers send it when a provider or the user opens an
/// address of the service, and with no form of another site.
pub(crate) fn cookie(service: &ServiceContext, name: &str, value: &str) -> HeaderValue {
    let secure = if service.settings.external_url.starts_with("https://") { "; Secure" } else { "" };
    let text =
        format!("{name}={value}; Path=/; Max-Age={}; HttpOnly; SameSite=Lax{secure}", LIFE.whole_seconds());
    HeaderValue::try_from(text).expect("letters, digits and punctuation")
}

/// 302 to an address that no cache may keep.
pub(crate) fn redirect_found(url: &str, cookie: Option<HeaderValue>) -> Result<Response, AuthError> {
    let location = HeaderValue::from_str(url)
        .map_err(|_| AuthError::validation("the redirect target is no valid address"))?;
    let mut response = StatusCode::FOUND.into_response();
    let headers = response.headers_mut();
    headers.insert(header::LOCATION, location);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(cookie) = cookie {
        headers.insert(header::SET_COOKIE, cookie);
    }
    Ok(response)
}
