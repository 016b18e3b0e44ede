//! Asks the user whether to link an identity, if nothing else shows that the browser that came back
//! is the one that began.
//!
//! auth-js begins a link by a request of the application. If the application has another origin
//! than the service, the browser keeps no cookie of it, and without a code challenge nothing else
//! ties the two. An attacker could then make somebody open the address of the attacker's link. So
//! that nobody links their identity to a stranger's account unawares, a page shows both, and only
//! its button links. The page names the account in full, with its age, because an attacker may have
//! made one that looks similar. Its form and cookie are derived from the state and the server's
//! key, and one browser sees the page of a state.

use axum::response::Response;
use http::{HeaderMap, StatusCode, header};
use subtle::ConstantTimeEq;
use url::{Host, Url};
use uuid::Uuid;

use super::{
    exchange_code, holds,
    link_page::{self, AccountSummary, LinkConfirmation},
    refused_at, refused_at_site, target_of,
};
use crate::{
    context::ServiceContext,
    domain::linking::{self, ExternalUser, StoredIdentity},
    endpoints::authorize::{self, LIFE},
    providers::Profile,
    store::{
        flow_states::{self, ExternalFlow},
        times, users,
    },
    wire::{
        error::{AuthError, IdentityError, ProviderError, marked},
        redirect::{self, Pairs},
        request::{Fields, RequestContext},
    },
};

/// A callback of a flow that links an identity, from a browser that may be another one.
pub(super) struct LinkCallback<'a> {
    pub(super) headers: &'a HeaderMap,
    pub(super) flow: &'a ExternalFlow,
    /// The code of the provider.
    pub(super) code: &'a str,
    /// Where the browser is sent back to.
    pub(super) target: &'a str,
}

/// Stores the profile from the provider and answers with the page (CONTRACT.md H26, I7). A browser
/// that has the page gets it again.
///
/// # Errors
/// Those of a link, as far as they are known by now; `flow_state_already_used` if another browser
/// saw the page.
pub(super) async fn ask(
    service: &ServiceContext,
    context: &RequestContext,
    &LinkCallback { headers, flow, code, target }: &LinkCallback<'_>,
) -> Result<Response, AuthError> {
    let account = flow.linking_target.ok_or(ProviderError::StateOfAnother)?;
    let before = match was_shown(service, headers, flow.id) {
        true => linking::kept_profile(&mut *service.pool.acquire().await?, flow.id).await?,
        false => None,
    };
    let profile = match before {
        Some(profile) => profile,
        None => ask_provider(service, context, flow, code).await?,
    };
    let user = users::by_id(&service.pool, account).await?.ok_or(IdentityError::TargetGone)?;
    let question = LinkConfirmation {
        provider: &flow.provider,
        identity: &name_of(&profile),
        account: &AccountSummary::of(&user, context.now),
        state: &flow.id.to_string(),
        token: &form_token(service, flow.id),
        leads_to: &source_of(target),
    };
    let mut response = link_page::confirm_link(&question);
    let cookie = authorize::cookie(service, &cookie_name(service, flow.id), &cookie_value(service, flow.id));
    response.headers_mut().insert(header::SET_COOKIE, cookie);
    Ok(response)
}

/// Asks the provider who came, and stores the profile.
async fn ask_provider(
    service: &ServiceContext,
    context: &RequestContext,
    flow: &ExternalFlow,
    code: &str,
) -> Result<Profile, AuthError> {
    let account = flow.linking_target.ok_or(ProviderError::StateOfAnother)?;
    let profile = exchange_code(service, context, flow, code).await?.profile;
    let mut transaction = service.begin(context).await?;
    let external_user =
        ExternalUser { provider: &flow.provider, email_optional: flow.email_optional, profile: &profile };
    linking::prepare(&mut transaction.tx(), flow.id, account, &external_user).await?;
    service.commit(transaction).await?;
    Ok(profile)
}

/// The message to the application after a link.
const LINKED: &str = "The identity was linked to the account";

/// The answer of the form.
pub(super) struct Answer {
    state: String,
    token: String,
    links: bool,
}

impl Answer {
    /// Reads the answer, if the form is one of the page.
    pub(super) fn read(form: &[u8]) -> Option<Self> {
        let form = Fields::read(form);
        let token = form.text("link_token")?.to_owned();
        let links = form.text("answer") == Some("link") && form.text("mine") == Some("yes");
        Some(Self { state: form.text("state").unwrap_or_default().to_owned(), token, links })
    }
}

/// Links or declines, and sends the browser back to the application.
pub(super) async fn answer_form(
    service: &ServiceContext,
    context: &RequestContext,
    headers: &HeaderMap,
    answer: &Answer,
) -> Result<Response, AuthError> {
    let flow = match flow_of_answer(service, context, headers, answer).await {
        Ok(flow) => flow,
        Err(error) => return refused_at_site(service, &error),
    };
    let target = target_of(service, &flow);
    if !answer.links {
        flow_states::take(&service.pool, flow.id).await?;
        return refused_at(&target, &IdentityError::Declined.into());
    }
    match Box::pin(link(service, context, &flow)).await {
        Ok(()) => {
            let fragment = marked(vec![("message", LINKED.to_owned())]);
            redirect::to(StatusCode::SEE_OTHER, &target, &Pairs::new(), &fragment)
        }
        Err(error) => refused_at(&target, &error),
    }
}

/// The flow that this browser answers, if our page asked it lately.
async fn flow_of_answer(
    service: &ServiceContext,
    context: &RequestContext,
    headers: &HeaderMap,
    answer: &Answer,
) -> Result<ExternalFlow, AuthError> {
    let state: Uuid = answer.state.parse().map_err(|_| ProviderError::StateMalformed)?;
    let is_ours = bool::from(answer.token.as_bytes().ct_eq(form_token(service, state).as_bytes()));
    if !is_ours || !was_shown(service, headers, state) || !is_same_origin(service, headers) {
        return Err(ProviderError::StateOfAnother.into());
    }
    let flow = flow_states::external(&service.pool, state).await?.ok_or(ProviderError::StateUnknown)?;
    // The user gets as much time again as for the provider.
    if flow.created_at.is_none_or(|created_at| !times::is_since(created_at, context.now - LIFE * 2)) {
        return Err(ProviderError::StateExpired.into());
    }
    Ok(flow)
}

/// Links the stored identity. It opens no session: the application has one, and a user who was
/// tricked must not end up in a stranger's account. The state is used up in any case.
async fn link(
    service: &ServiceContext,
    context: &RequestContext,
    flow: &ExternalFlow,
) -> Result<(), AuthError> {
    let kept = StoredIdentity {
        flow: flow.id,
        provider: &flow.provider,
        email_optional: flow.email_optional,
        target: flow.linking_target.ok_or(ProviderError::StateOfAnother)?,
    };
    let mut transaction = service.begin(context).await?;
    let tx = &mut transaction.tx();
    linking::wait_for_kept(tx, &kept).await?;
    users::by_id_for_update(tx.db, kept.target).await?.ok_or(IdentityError::TargetGone)?;
    let outcome = linking::link_kept(tx, &kept).await.map_err(gone)?;
    if !flow_states::take(&mut *tx.db, kept.flow).await? {
        return Err(ProviderError::StateUsed.into());
    }
    service.commit(transaction).await?;
    outcome.granted().map(drop)
}

/// Nothing is stored any more: another answer was first, or the flow has ended.
fn gone(error: AuthError) -> AuthError {
    match error {
        AuthError::FlowNotFound => ProviderError::StateUsed.into(),
        other => other,
    }
}

fn form_token(service: &ServiceContext, state: Uuid) -> String {
    hex::encode(service.keyed_hash("auth link question form", &[state.as_bytes()]))
}

fn cookie_name(service: &ServiceContext, state: Uuid) -> String {
    format!("{}-link", authorize::cookie_name(service, state))
}

fn cookie_value(service: &ServiceContext, state: Uuid) -> String {
    hex::encode(service.keyed_hash("auth link question cookie", &[state.as_bytes()]))
}

/// Whether this browser saw the page.
fn was_shown(service: &ServiceContext, headers: &HeaderMap, state: Uuid) -> bool {
    holds(headers, &cookie_name(service, state), &cookie_value(service, state))
}

/// Whether the form comes from a page of the service's own origin, as far as the browser says.
fn is_same_origin(service: &ServiceContext, headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(site) = text("sec-fetch-site") {
        return site == "same-origin";
    }
    let own = Url::parse(&service.settings.external_url).map(|url| url.origin().ascii_serialization());
    text("origin").is_none_or(|origin| own.is_ok_and(|own| own == origin))
}

/// The source of a content security policy for the redirect after the form. Browsers apply the
/// policy to redirects, too.
fn source_of(target: &str) -> String {
    match Url::parse(target) {
        Ok(url) if url.origin().is_tuple() && !matches!(url.host(), Some(Host::Ipv6(_))) => {
            url.origin().ascii_serialization()
        }
        Ok(url) => format!("{}:", url.scheme()),
        Err(_) => String::new(),
    }
}

/// The name of the user at the provider.
fn name_of(profile: &Profile) -> String {
    let name = |key: &str| profile.data.get(key).and_then(|value| value.as_str()).map(str::to_owned);
    let email = profile.email.as_ref().map(|email| email.as_str().to_owned());
    email.or_else(|| name("name")).unwrap_or_else(|| profile.subject.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_names_the_origin_or_the_scheme_that_the_answer_leads_to() {
        assert_eq!(source_of("http://localhost:5173/welcome?a=b;c"), "http://localhost:5173");
        assert_eq!(source_of("http://[::1]:5173/welcome"), "http:", "no browser reads such a host there");
        assert_eq!(source_of("myapp://back"), "myapp:");
    }
}
