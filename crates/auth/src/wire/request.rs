//! Reads requests: JSON body, query, path, and who asks from where.

use std::{net::IpAddr, sync::Arc};

use axum::extract::{FromRequest, FromRequestParts};
use banyan_identity::Identified;
use banyan_web::{BodyError, query_parameter, read_body};
use bytes::Bytes;
use http::{HeaderValue, header, request::Parts};
use serde::de::DeserializeOwned;
use time::OffsetDateTime;

use crate::{
    model::{
        after_commit::AfterCommit,
        created_accounts::{CreatedAccounts, HookApprovals},
    },
    wire::{
        client_address,
        device_cookie::DeviceCookies,
        error::{AuthError, SessionError},
    },
};

/// Largest body of a request (CONTRACT.md W5).
const LARGEST_BODY: usize = 1024 * 1024;

/// The audience of accounts, unless an admin says otherwise for one.
const AUDIENCE: &str = "authenticated";

/// What the gateway knows about a request.
#[derive(Clone)]
pub(crate) struct GatewayInfo {
    pub(crate) caller: Identified,
    pub(crate) now: OffsetDateTime,
    /// Address of the client.
    pub(crate) client: Option<IpAddr>,
    /// The function that asks, for a client that it does not name.
    pub(crate) function: Option<Arc<str>>,
    /// Whether what is done is noted in the table, too (CONTRACT.md L7).
    pub(crate) audited: bool,
    pub(crate) device_cookies: DeviceCookies,
}

impl GatewayInfo {
    /// What stands for the client in limits.
    pub(crate) fn client_key(&self) -> String {
        client_address::key(self.client, self.function.as_deref())
    }

    /// Whether the service key was presented.
    pub(crate) fn by_service(&self) -> bool {
        self.caller.as_ref().is_ok_and(|caller| caller.claims().text("role") == Some("service_role"))
    }
}

/// A request as endpoints and domain know it, without its body.
#[derive(Debug, Clone)]
pub(crate) struct RequestContext {
    pub(crate) now: OffsetDateTime,
    pub(crate) client: Option<IpAddr>,
    /// The function that asks, for a client that it does not name.
    pub(crate) function: Option<Arc<str>>,
    /// Whether what is done is noted in the table, too (CONTRACT.md L7).
    pub(crate) audited: bool,
    pub(crate) user_agent: Option<String>,
    pub(crate) referer: Option<String>,
    /// Header `Accept-Language`.
    pub(crate) languages: Option<String>,
    /// Header `X-Forwarded-Host`, in lower case: what anybody may claim.
    pub(crate) forwarded_host: Option<String>,
    /// Header `redirect_to`, else the query parameter (CONTRACT.md W6).
    pub(crate) redirect_to: Option<String>,
    /// The device cookies.
    pub(crate) device_cookies: DeviceCookies,
    /// New accounts that a remote hook approved.
    pub(crate) approvals: HookApprovals,
    /// The accounts that the request created.
    pub(crate) created: CreatedAccounts,
    /// What waits for the commit of the request's transaction.
    pub(crate) after_commit: AfterCommit,
}

impl RequestContext {
    /// What stands for the client in limits.
    pub(crate) fn client_key(&self) -> String {
        client_address::key(self.client, self.function.as_deref())
    }
}

impl<S: Sync> FromRequestParts<S> for RequestContext {
    type Rejection = AuthError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, AuthError> {
        let gateway_info = gateway_info(parts)?;
        check_audience(parts, &gateway_info)?;
        let text =
            |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let redirect_to = text("redirect_to").or_else(|| query_parameter(&parts.uri, "redirect_to"));
        Ok(Self {
            now: gateway_info.now,
            client: gateway_info.client,
            function: gateway_info.function,
            audited: gateway_info.audited,
            user_agent: text(header::USER_AGENT.as_str()).map(|agent| agent.chars().take(512).collect()),
            referer: text(header::REFERER.as_str()),
            languages: text(header::ACCEPT_LANGUAGE.as_str()),
            forwarded_host: text("x-forwarded-host").map(|host| host.to_lowercase()),
            redirect_to: redirect_to.filter(|target| !target.is_empty()),
            device_cookies: gateway_info.device_cookies,
            approvals: HookApprovals::default(),
            created: CreatedAccounts::default(),
            after_commit: AfterCommit::default(),
        })
    }
}

/// Fields of a query or a form, as often as they are given.
pub(crate) struct Fields(Vec<(String, String)>);

impl Fields {
    pub(crate) fn read(encoded: &[u8]) -> Self {
        Self(url::form_urlencoded::parse(encoded).into_owned().collect())
    }

    /// The first value of a name that is not empty.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        let values = self.pairs().filter(|(key, _)| *key == name).map(|(_, value)| value);
        values.into_iter().find(|value| !value.is_empty())
    }

    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

/// A client may name its audience: that of its token, or else the project's only one. An admin may
/// name any (CONTRACT.md W13).
fn check_audience(parts: &Parts, gateway_info: &GatewayInfo) -> Result<(), SessionError> {
    let named = parts.headers.get("x-jwt-aud").map(HeaderValue::as_bytes).filter(|name| !name.is_empty());
    let Some(named) = named.filter(|_| !gateway_info.by_service()) else { return Ok(()) };
    match gateway_info.caller.as_ref().ok().and_then(|caller| caller.claims().text("aud")) {
        Some(of_token) if of_token.as_bytes() != named => Err(SessionError::Audience),
        None if named != AUDIENCE.as_bytes() => Err(SessionError::AnotherAudience),
        _ => Ok(()),
    }
}

/// Reads what the gateway attached to the request.
pub(crate) fn gateway_info(parts: &Parts) -> Result<GatewayInfo, AuthError> {
    parts.extensions.get::<GatewayInfo>().cloned().ok_or(AuthError::NotFound)
}

/// A JSON body; an empty one counts as `{}`. Unknown fields are ignored (CONTRACT.md W5).
pub(crate) struct Json<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Sync> FromRequest<S> for Json<T> {
    type Rejection = AuthError;

    async fn from_request(request: axum::extract::Request, state: &S) -> Result<Self, AuthError> {
        let Raw(bytes) = Raw::from_request(request, state).await?;
        let bytes = if bytes.iter().all(u8::is_ascii_whitespace) { b"{}".as_slice() } else { &bytes };
        let body = serde_json::from_slice(bytes).map_err(|error| AuthError::BadJson(describe(&error)))?;
        if holds_nul(bytes) { Err(AuthError::validation(NUL)) } else { Ok(Self(body)) }
    }
}

const NUL: &str = "The character U+0000 cannot be used";

/// Whether a text in a JSON body holds U+0000, which PostgreSQL cannot keep: everywhere it is the
/// client's fault.
fn holds_nul(json: &[u8]) -> bool {
    let mut rest = json;
    while let Some(at) = rest.iter().position(|byte| *byte == b'\\') {
        if rest[at + 1..].starts_with(b"u0000") {
            return true;
        }
        rest = rest.get(at + 2..).unwrap_or_default();
    }
    false
}

/// Refuses a path or a query with U+0000, as [`Json`] does for a body.
pub(crate) async fn refuse_nul(
    request: axum::extract::Request,
    next: axum::middleware::Next,
) -> Result<axum::response::Response, AuthError> {
    let uri = request.uri();
    if uri.path().contains("%00") || uri.query().is_some_and(|query| query.contains("%00")) {
        return Err(AuthError::validation(NUL));
    }
    Ok(next.run(request).await)
}

/// Describes a JSON error to a client. A type is named by its kind in JSON, not by its Rust name.
pub(crate) fn describe(error: &serde_json::Error) -> String {
    let text = error.to_string();
    // The last one: what the client wrote is quoted before it.
    match text.rsplit_once("expected struct ") {
        Some((before, name)) => {
            let rest = name.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
            format!("{before}expected an object{rest}")
        }
        None => text,
    }
}

/// Reads the body of a request.
pub(crate) async fn read(body: axum::body::Body) -> Result<Bytes, AuthError> {
    read_body(body, LARGEST_BODY).await.map_err(|error| match error {
        BodyError::TooLarge => AuthError::TooLarge,
        BodyError::EndedEarly => AuthError::BadJson("it ended early".into()),
    })
}

/// A body as it came.
pub(crate) struct Raw(pub(crate) Bytes);

impl<S: Sync> FromRequest<S> for Raw {
    type Rejection = AuthError;

    async fn from_request(request: axum::extract::Request, _: &S) -> Result<Self, AuthError> {
        read(request.into_body()).await.map(Self)
    }
}

/// Parts of the path. What is no text is no id either.
pub(crate) struct Path<T>(pub(crate) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = AuthError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, AuthError> {
        let path = axum::extract::Path::<T>::from_request_parts(parts, state).await;
        path.map(|path| Self(path.0)).map_err(|_| AuthError::PathNoUuid)
    }
}

/// Parameters of the query; a parameter given twice counts once, with its first value.
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Sync> FromRequestParts<S> for Query<T> {
    type Rejection = AuthError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, AuthError> {
        let mut map = serde_json::Map::new();
        for (name, value) in url::form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes()) {
            map.entry(name.into_owned()).or_insert_with(|| value.into_owned().into());
        }
        serde_json::from_value(serde_json::Value::Object(map))
            .map(Self)
            .map_err(|error| AuthError::validation(describe(&error)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nul_is_found_and_what_only_looks_like_one_is_not() {
        for json in [r#"{"a":"\u0000"}"#, r#"{"\u0000":1}"#, r#"["x\\\u0000"]"#, r#""\n\u0000""#] {
            assert!(holds_nul(json.as_bytes()), "{json}");
        }
        for json in [r#"{"a":"u0000"}"#, r#"["\\u0000"]"#, r#""\u0001""#, "{}", "\\"] {
            assert!(!holds_nul(json.as_bytes()), "{json}");
        }
    }
}
