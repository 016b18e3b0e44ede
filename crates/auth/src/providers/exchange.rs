use base64::{Engine, engine::general_purpose::STANDARD};
use bytes::Bytes;
use http::{Request, header};
use http_body_util::Full;
use secrecy::ExposeSecret;
use serde::Deserialize;
use serde_json::{Map, Value};
use time::OffsetDateTime;

use super::{
    Discovery, Profile, Provider, Providers,
    discovery::{LARGEST, TIME},
    id_token,
};
use crate::wire::error::ProviderError;

/// What a provider gave for a code: who it is, and its tokens, which are handed out once
/// (CONTRACT.md G15).
#[derive(Debug)]
pub(crate) struct Grant {
    pub(crate) profile: Profile,
    pub(crate) access_token: String,
    pub(crate) refresh_token: Option<String>,
}

/// The answer of a token endpoint (RFC 6749 section 5.1).
#[derive(Deserialize)]
struct Tokens {
    access_token: String,
    refresh_token: Option<String>,
    id_token: Option<String>,
}

/// The code of a callback, and the verifier of its challenge.
pub(crate) struct AuthorizationCode<'a> {
    pub(crate) code: &'a str,
    pub(crate) verifier: Option<&'a str>,
}

/// Exchanges a code and learns who it is for: from the id_token, and from the userinfo endpoint
/// where the provider gives no id_token or one without an address (CONTRACT.md G5).
///
/// # Errors
/// [`ProviderError::Exchange`] when the provider refuses the code, [`ProviderError::Profile`] when
/// what it says cannot be trusted or read.
pub(crate) async fn exchange(
    providers: &Providers,
    provider: &Provider,
    code: &AuthorizationCode<'_>,
    now: OffsetDateTime,
) -> Result<Grant, ProviderError> {
    let _permit = provider.permit().await?;
    let published = providers.published(&provider.issuer, now).await?;
    let tokens = tokens(providers, provider, &published.discovery, code).await?;
    let from_token = match &tokens.id_token {
        None => None,
        Some(token) => {
            let expected = id_token::Expected {
                issuer: &provider.issuer,
                audience: &provider.client_ids,
                access_token: Some(&tokens.access_token),
            };
            let claims = id_token::check(providers, token, &expected, now).await;
            Some(claims.map_err(|error| ProviderError::Profile(error.to_string()))?)
        }
    };
    let claims = match from_token {
        Some(claims) if claims.contains_key("email") => claims,
        partial => with_userinfo(providers, &published.discovery, &tokens.access_token, partial).await?,
    };
    let profile = Profile::of(&provider.name, &provider.issuer, claims)
        .ok_or_else(|| ProviderError::Profile("there is no `sub`".to_owned()))?;
    Ok(Grant { profile, access_token: tokens.access_token, refresh_token: tokens.refresh_token })
}

async fn tokens(
    providers: &Providers,
    provider: &Provider,
    discovery: &Discovery,
    &AuthorizationCode { code, verifier }: &AuthorizationCode<'_>,
) -> Result<Tokens, ProviderError> {
    let failed = |cause: String| ProviderError::Exchange { code: code.chars().take(4).collect(), cause };
    let endpoint = discovery.token_endpoint.as_deref().ok_or(ProviderError::NotForRedirects)?;
    let mut form =
        vec![("grant_type", "authorization_code"), ("code", code), ("redirect_uri", &provider.redirect_uri)];
    form.extend(verifier.map(|verifier| ("code_verifier", verifier)));
    let mut request = Request::post(endpoint)
        .header(header::ACCEPT, "application/json")
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded");
    let secret = provider.secret.expose_secret();
    let takes_form =
        discovery.token_endpoint_auth_methods_supported.iter().any(|m| m == "client_secret_post");
    if takes_form || secret.is_empty() {
        form.push(("client_id", provider.client_id()));
        form.push(("client_secret", secret));
    } else {
        let encode = |text: &str| url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
        let pair = format!("{}:{}", encode(provider.client_id()), encode(secret));
        request = request.header(header::AUTHORIZATION, format!("Basic {}", STANDARD.encode(pair)));
    }
    let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
    let request = request.body(Full::from(body)).map_err(|error| failed(error.to_string()))?;
    let reply = providers.outbound.send(request, TIME, LARGEST).await;
    let reply = reply.map_err(|error| failed(error.to_string()))?;
    if !reply.status.is_success() {
        return Err(failed(format!("status {}", reply.status.as_u16())));
    }
    serde_json::from_slice(&reply.body).map_err(|error| failed(error.to_string()))
}

/// What the userinfo endpoint adds; it must speak of the same person as the id_token.
async fn with_userinfo(
    providers: &Providers,
    discovery: &Discovery,
    access_token: &str,
    from_token: Option<Map<String, Value>>,
) -> Result<Map<String, Value>, ProviderError> {
    let failed = |cause: String| ProviderError::Profile(cause);
    let Some(endpoint) = discovery.userinfo_endpoint.as_deref() else {
        return from_token
            .ok_or_else(|| failed("there is neither an id_token nor a userinfo endpoint".to_owned()));
    };
    let request = Request::get(endpoint)
        .header(header::ACCEPT, "application/json")
        .header(header::AUTHORIZATION, format!("Bearer {access_token}"))
        .body(Full::<Bytes>::default())
        .map_err(|error| failed(error.to_string()))?;
    let reply = providers.outbound.send(request, TIME, LARGEST).await;
    let reply = reply.map_err(|error| failed(error.to_string()))?;
    if !reply.status.is_success() {
        return from_token.ok_or_else(|| failed(format!("userinfo answered {}", reply.status.as_u16())));
    }
    let info: Map<String, Value> =
        serde_json::from_slice(&reply.body).map_err(|error| failed(error.to_string()))?;
    match from_token {
        None => Ok(info),
        Some(claims) if claims.get("sub") == info.get("sub") => Ok(info.into_iter().chain(claims).collect()),
        Some(_) => Err(failed("userinfo speaks of somebody else".to_owned())),
    }
}
