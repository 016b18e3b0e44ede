use banyan_config::known_issuer;
use serde::Deserialize;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::{
    context::ServiceContext,
    domain::{
        linking::{self, ExternalUser, Outcome},
        sessions::{self, IssuedSession},
    },
    endpoints::user::identities::check_may_link,
    guards::bearer::{Bearer, UncheckedBearer},
    providers::{
        Profile, Provider,
        id_token::{self, Expected, IdTokenError},
    },
    tx::Tx,
    wire::{
        error::{AuthError, OAuthError, PasswordError, ProviderError},
        request::RequestContext,
    },
};

/// Body of the request (CONTRACT.md I1).
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Input {
    id_token: String,
    access_token: String,
    nonce: String,
    provider: String,
    client_id: String,
    issuer: String,
    link_identity: bool,
}

/// The issuer and client ids that the token must have.
struct Source<'a> {
    name: String,
    issuer: String,
    audience: Vec<String>,
    skip_nonce_check: bool,
    provider: Option<&'a Provider>,
}

/// Signs in with an id_token that the application got from a provider, or links it to the caller's
/// account (CONTRACT.md I1 to I6).
///
/// # Errors
/// 400 in the form of OAuth for a token that is not accepted (CONTRACT.md I5), 400
/// `provider_disabled`, 400 `validation_failed` for an issuer that is not allowed, and those of
/// sign-ins and links.
pub(crate) async fn grant(
    service: &ServiceContext,
    context: &RequestContext,
    credentials: UncheckedBearer,
    input: Input,
) -> Result<IssuedSession, AuthError> {
    if input.id_token.is_empty() {
        return Err(OAuthError::invalid_request("id_token required").into());
    }
    if input.provider.is_empty() && (input.client_id.is_empty() || input.issuer.is_empty()) {
        return Err(OAuthError::invalid_request("provider or client_id and issuer required").into());
    }
    let target = if input.link_identity { Some(target(service, credentials).await?) } else { None };
    let source = source(service, &input)?;
    let profile = profile(service, context, &input, &source).await?;
    let email_optional = source.provider.is_some_and(|provider| provider.email_optional);
    if profile.email.is_none() && !email_optional {
        return Err(OAuthError::invalid_request("Bad ID token").into());
    }
    let external_user = ExternalUser { provider: &source.name, email_optional, profile: &profile };
    let mut transaction = service.begin(context).await?;
    let outcome = loop {
        let tx = &mut transaction.tx();
        let outcome = match &target {
            Some(bearer) => link(tx, bearer, &external_user).await,
            None => linking::sign_in(tx, &external_user).await,
        };
        match outcome {
            Ok(outcome) => break outcome,
            // Errors have the form of `/token`.
            Err(AuthError::BearerBanned) => return Err(PasswordError::Banned.into()),
            Err(error) => transaction = service.begin_again(context, transaction, error).await?,
        }
    };
    let tx = &mut transaction.tx();
    let session = match outcome.granted() {
        Ok(user) => Ok(sessions::open(tx, user, "oauth").await?),
        Err(withheld) => Err(withheld),
    };
    service.commit(transaction).await?;
    session?.sign(service, context).await
}

/// Links the identity to the account of a session. The account is checked again, because a sign-out
/// or a first factor may have come since.
async fn link(
    tx: &mut Tx<'_>,
    bearer: &Bearer,
    external_user: &ExternalUser<'_>,
) -> Result<Outcome, AuthError> {
    linking::lock_identity(tx, external_user.identity()).await?;
    bearer.lock_to_link(tx.db, tx.context.now).await?;
    linking::link(tx, bearer.user.id, external_user).await
}

/// Whose account the identity shall belong to (CONTRACT.md I6).
async fn target(service: &ServiceContext, credentials: UncheckedBearer) -> Result<Bearer, AuthError> {
    if !credentials.has_token() {
        let text = "Linking requires a valid user access token in Authorization";
        return Err(OAuthError::invalid_request(text).into());
    }
    let bearer = credentials.check(service).await?;
    check_may_link(service, &bearer).await?;
    Ok(bearer)
}

/// Finds the provider by name or issuer; issuers without one only where they are listed
/// (CONTRACT.md I2).
fn source<'a>(service: &'a ServiceContext, input: &Input) -> Result<Source<'a>, AuthError> {
    let providers = &service.providers;
    let by_issuer = || providers.of_issuer(&input.issuer).filter(|_| !input.issuer.is_empty());
    let found = if input.provider.is_empty() { by_issuer() } else { providers.find(&input.provider).ok() };
    if let Some(provider) = found {
        let foreign = !input.issuer.is_empty() && input.issuer.trim_end_matches('/') != provider.issuer;
        if foreign {
            return Err(AuthError::validation("Provided issuer does not match ID token issuer"));
        }
        return Ok(Source {
            name: provider.name.clone(),
            issuer: provider.issuer.clone(),
            audience: provider.client_ids.clone(),
            skip_nonce_check: provider.skip_nonce_check,
            provider: Some(provider),
        });
    }
    if let Err(ProviderError::Disabled) = providers.find(&input.provider) {
        return Err(AuthError::IdTokenProviderDisabled(who(input)));
    }
    let Some((issuer, client_ids)) = providers.foreign_issuer(&input.issuer) else {
        let shown: String = input.provider.chars().filter(char::is_ascii_graphic).take(40).collect();
        return Err(AuthError::validation(format!("Custom OIDC provider \"{shown}\" not allowed")));
    };
    Ok(Source {
        name: issuer.to_owned(),
        issuer: issuer.to_owned(),
        // A name in the request counts only if the project has it, too. A token for another
        // application says nothing about this user.
        audience: client_ids.iter().filter(|id| **id == input.client_id).cloned().collect(),
        skip_nonce_check: false,
        provider: None,
    })
}

/// The error for a provider that is off. It names the issuer, if the project or the token does.
/// Each tenant of azure has its own.
fn who(input: &Input) -> String {
    let name = input.provider.to_ascii_lowercase();
    let (known, said) = (known_issuer(&name).map(str::to_owned), id_token::issuer_of(&input.id_token));
    let issuer = if name == "azure" { said.or(known) } else { known.or(said) };
    issuer.map_or(name, |issuer| format!("issuer \"{}\"", issuer.chars().take(200).collect::<String>()))
}

async fn profile(
    service: &ServiceContext,
    context: &RequestContext,
    input: &Input,
    source: &Source<'_>,
) -> Result<Profile, AuthError> {
    let expected = Expected {
        issuer: &source.issuer,
        audience: &source.audience,
        access_token: Some(input.access_token.as_str()).filter(|token| !token.is_empty()),
    };
    let claims = id_token::check(&service.providers, &input.id_token, &expected, context.now).await;
    let claims = claims.map_err(refusal)?;
    if !source.skip_nonce_check {
        check_nonce(&claims, &input.nonce)?;
    }
    Profile::of(&source.name, &source.issuer, claims).ok_or_else(|| refusal(IdTokenError::Subject))
}

/// The error for a token that is not accepted. A provider that cannot be reached is not the fault
/// of the token.
fn refusal(error: IdTokenError) -> AuthError {
    tracing::info!(reason = %error, "an id_token was refused");
    match error {
        IdTokenError::Provider(error) => error.into(),
        IdTokenError::Subject => OAuthError::invalid_request("Missing sub claim in id_token").into(),
        IdTokenError::Audience(audience) => {
            let names: Vec<&str> = match &audience {
                Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
                name => name.as_str().into_iter().collect(),
            };
            let text = format!("Unacceptable audience in id_token: [{}]", names.join(" "));
            OAuthError::invalid_request(text).into()
        }
        IdTokenError::Malformed
        | IdTokenError::Algorithm
        | IdTokenError::Signature
        | IdTokenError::Issuer
        | IdTokenError::Time
        | IdTokenError::AccessToken => OAuthError::invalid_request("Bad ID token").into(),
    }
}

/// The token has the SHA-256 of the application's nonce. Both have one, or neither (CONTRACT.md
/// I4).
fn check_nonce(claims: &Map<String, Value>, nonce: &str) -> Result<(), OAuthError> {
    let in_token = claims.get("nonce").and_then(Value::as_str).unwrap_or_default();
    if in_token.is_empty() != nonce.is_empty() {
        let text = "Passed nonce and nonce in id_token should either both exist or not.";
        return Err(OAuthError::invalid_request(text));
    }
    let hash = hex::encode(Sha256::digest(nonce));
    let fits = in_token.is_empty() || bool::from(hash.as_bytes().ct_eq(in_token.as_bytes()));
    if fits { Ok(()) } else { Err(OAuthError::invalid_nonce()) }
}
