//! Whether an identity is to be linked, asked where nothing else says that the browser that came back is the one that
//! began.
//!
//! auth-js begins a link by a request of the application. When that has another origin than the service, the browser
//! keeps no cookie of it, and without a code challenge nothing else ties the two. Whoever is made to open the address
//! of somebody else's link must not link their own identity to that account unawares: so they are shown both, and only
//! the button of that page links. Its form and its cookie are made from the state and the server's key, and a state is
//! asked about once.

use axum::response::Response;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use subtle::ConstantTimeEq;
use url::Url;
use uuid::Uuid;

use super::{holds, introduced, refused_at, refused_at_site, target_of};
use crate::{
    authorize::{self, LIFE},
    error::{AuthError, IdentityError, ProviderError},
    hex::hex,
    linking::{self, Kept, Newcomer, Outcome},
    page,
    providers::{Grant, Profile},
    redirects::{self, Pairs},
    request::Context,
    sessions::{self, Opening, SessionBody},
    state::Inner,
    store::{
        flow_states::{self, ExternalFlow},
        users::{self, User},
    },
};

/// Keeps what the provider says and answers with the page (auth.md H26, I7).
///
/// # Errors
/// As of a link, as far as it can be known by now; `flow_state_already_used` when the page was shown before.
pub(super) async fn ask(
    inner: &Inner,
    context: &Context,
    flow: &ExternalFlow,
    (code, target): (&str, &str),
) -> Result<Response, AuthError> {
    let account = flow.linking_target.ok_or(ProviderError::StateOfAnother)?;
    let grant = introduced(inner, context, flow, code).await?;
    let Grant { profile, access_token, refresh_token, .. } = &grant;
    let mut transaction = inner.begin(context).await?;
    let db = &mut *transaction;
    let newcomer = Newcomer { provider: &flow.provider, email_optional: flow.email_optional, profile };
    linking::prepare(db, context, (flow.id, account), &newcomer).await?;
    flow_states::keep_tokens(db, flow.id, (access_token, refresh_token.as_deref()), context.now).await?;
    let user = users::by_id(&mut *db, account).await?.ok_or(IdentityError::TargetGone)?;
    inner.commit(transaction).await?;
    Ok(shown(inner, flow, (profile, &user), target))
}

fn shown(inner: &Inner, flow: &ExternalFlow, (profile, user): (&Profile, &User), target: &str) -> Response {
    let question = page::LinkQuestion {
        provider: &flow.provider,
        identity: &name_of(profile),
        account: &masked(user),
        state: &flow.id.to_string(),
        token: &form_token(inner, flow.id),
        leads_to: &source_of(target),
    };
    let mut response = page::ask_to_link(&question);
    let (name, value) = (cookie_name(inner, flow.id), cookie_value(inner, flow.id));
    let secure = if inner.settings.external_url.starts_with("https://") { "; Secure" } else { "" };
    let life = LIFE.whole_seconds();
    let cookie = format!("{name}={value}; Path=/; Max-Age={life}; HttpOnly; SameSite=Strict{secure}");
    let cookie = HeaderValue::try_from(cookie).expect("letters, digits and punctuation");
    response.headers_mut().insert(header::SET_COOKIE, cookie);
    response
}

/// What the page's form says.
pub(super) struct Answer {
    state: String,
    token: String,
    links: bool,
}

impl Answer {
    /// The answer in a form, if it is one.
    pub(super) fn read(form: &[u8]) -> Option<Self> {
        let given = |name: &str| {
            url::form_urlencoded::parse(form)
                .find(|(key, _)| key == name)
                .map(|(_, value)| value.into_owned())
        };
        let token = given("link_token")?;
        let links = given("answer").as_deref() == Some("link");
        Some(Self { state: given("state").unwrap_or_default(), token, links })
    }
}

/// Links, or lets it be, and sends the browser back to the application.
pub(super) async fn answered(
    inner: &Inner,
    context: &Context,
    headers: &HeaderMap,
    answer: &Answer,
) -> Result<Response, AuthError> {
    let flow = match asked_about(inner, context, headers, answer).await {
        Ok(flow) => flow,
        Err(error) => return refused_at_site(inner, &error),
    };
    let target = target_of(inner, &flow);
    if !answer.links {
        flow_states::take(&inner.pool, flow.id).await?;
        return refused_at(&target, &IdentityError::Declined.into());
    }
    match Box::pin(link(inner, context, &flow)).await {
        Ok(session) => redirects::to(StatusCode::SEE_OTHER, &target, &Pairs::new(), &session.pairs(None)),
        Err(error) => refused_at(&target, &error),
    }
}

/// The flow that this very browser was asked about, by our own page, not long ago.
async fn asked_about(
    inner: &Inner,
    context: &Context,
    headers: &HeaderMap,
    answer: &Answer,
) -> Result<ExternalFlow, AuthError> {
    let state: Uuid = answer.state.parse().map_err(|_| ProviderError::StateMalformed)?;
    let is_ours = bool::from(answer.token.as_bytes().ct_eq(form_token(inner, state).as_bytes()));
    let was_asked = holds(headers, &cookie_name(inner, state), &cookie_value(inner, state));
    if !is_ours || !was_asked || !is_same_origin(inner, headers) {
        return Err(ProviderError::StateOfAnother.into());
    }
    let flow = flow_states::external(&inner.pool, state).await?.ok_or(ProviderError::StateUnknown)?;
    // As long again as for the way to the provider.
    if flow.created_at.is_none_or(|created_at| created_at + LIFE * 2 < context.now) {
        return Err(ProviderError::StateExpired.into());
    }
    Ok(flow)
}

/// Links the kept identity and opens a session, as at a return that needed no question. The state is used up, whatever
/// comes of it.
async fn link(inner: &Inner, context: &Context, flow: &ExternalFlow) -> Result<SessionBody, AuthError> {
    let kept = Kept {
        flow: flow.id,
        provider: &flow.provider,
        email_optional: flow.email_optional,
        target: flow.linking_target.ok_or(ProviderError::StateOfAnother)?,
    };
    match linked(inner, context, &kept).await? {
        Ok(opening) => opening.signed(inner, context).await,
        Err(withheld) => Err(withheld),
    }
}

/// The session, or why the identity waits for a confirmation by mail; committed both ways.
async fn linked(
    inner: &Inner,
    context: &Context,
    kept: &Kept<'_>,
) -> Result<Result<Opening, AuthError>, AuthError> {
    let mut transaction = inner.begin(context).await?;
    let db = &mut *transaction;
    linking::wait_for_identity(inner, db, kept).await?;
    users::by_id_for_update(db, kept.target).await?.ok_or(IdentityError::TargetGone)?;
    let outcome = linking::link_kept(inner, db, context, kept).await.map_err(gone)?;
    let tokens = flow_states::take_with_tokens(db, kept.flow).await?.ok_or(ProviderError::StateUsed)?;
    let opening = match outcome {
        Outcome::Granted(user) => {
            let opening = sessions::open(inner, db, context, user, "oauth").await?;
            Ok(opening.with_tokens_of_provider(tokens))
        }
        Outcome::Withheld(error) => Err(error),
    };
    inner.commit(transaction).await?;
    Ok(opening)
}

/// Nothing is kept any more: another answer was first, or the flow was ended.
fn gone(error: AuthError) -> AuthError {
    match error {
        AuthError::FlowNotFound => ProviderError::StateUsed.into(),
        other => other,
    }
}

fn form_token(inner: &Inner, state: Uuid) -> String {
    hex(&inner.keyed_hash("auth link question form", &[state.as_bytes()]))
}

fn cookie_name(inner: &Inner, state: Uuid) -> String {
    format!("{}-link", authorize::cookie_name(inner, state))
}

fn cookie_value(inner: &Inner, state: Uuid) -> String {
    hex(&inner.keyed_hash("auth link question cookie", &[state.as_bytes()]))
}

/// Whether the form was sent by a page of the service's own origin, as far as the browser says.
fn is_same_origin(inner: &Inner, headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(site) = text("sec-fetch-site") {
        return site == "same-origin";
    }
    let own = Url::parse(&inner.settings.external_url).map(|url| url.origin().ascii_serialization());
    text("origin").is_none_or(|origin| own.is_ok_and(|own| own == origin))
}

/// Where the answer of the form leads, in the words of a content security policy: browsers hold redirects to it, too.
fn source_of(target: &str) -> String {
    match Url::parse(target) {
        Ok(url) if url.origin().is_tuple() => url.origin().ascii_serialization(),
        Ok(url) => format!("{}:", url.scheme()),
        Err(_) => String::new(),
    }
}

/// How the provider calls somebody.
fn name_of(profile: &Profile) -> String {
    let name = |key: &str| profile.data.get(key).and_then(|value| value.as_str()).map(str::to_owned);
    let email = profile.email.as_ref().map(|email| email.as_str().to_owned());
    email.or_else(|| name("name")).unwrap_or_else(|| profile.subject.clone())
}

/// Enough of an account for its owner to know it, and little for anybody else.
fn masked(user: &User) -> String {
    let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    if let Some((name, domain)) = given(&user.email).as_deref().and_then(|email| email.split_once('@')) {
        return format!("{}…@{domain}", name.chars().next().unwrap_or_default());
    }
    match given(&user.phone) {
        Some(phone) => {
            format!("…{}", phone.chars().skip(phone.chars().count().saturating_sub(3)).collect::<String>())
        }
        None => "an account without an address".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_named_by_its_first_letter_and_domain() {
        let of = |email: &str, phone: &str| {
            masked(&User { email: Some(email.into()), phone: Some(phone.into()), ..User::default() })
        };
        assert_eq!(of("ravi@example.com", "919800000123"), "r…@example.com");
        assert_eq!(of("", "919800000123"), "…123");
        assert_eq!(of("", ""), "an account without an address");
    }

    #[test]
    fn a_policy_names_the_origin_or_the_scheme_that_the_answer_leads_to() {
        assert_eq!(source_of("http://localhost:5173/welcome?a=b;c"), "http://localhost:5173");
        assert_eq!(source_of("myapp://back"), "myapp:");
    }
}
