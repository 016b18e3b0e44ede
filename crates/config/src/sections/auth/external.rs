//! Providers that say who somebody is.

use std::collections::BTreeMap;

use secrecy::SecretString;

use super::Words;
use crate::{
    ConfigError,
    env_reference::{unset, variable},
    error::every,
    nearest,
    raw::RawProvider,
};

/// Providers whose issuer is known.
const ISSUERS: [(&str, &str); 8] = [
    ("google", "https://accounts.google.com"),
    ("apple", "https://appleid.apple.com"),
    ("azure", "https://login.microsoftonline.com/common/v2.0"),
    ("gitlab", "https://gitlab.com"),
    ("kakao", "https://kauth.kakao.com"),
    ("linkedin_oidc", "https://www.linkedin.com/oauth"),
    ("slack_oidc", "https://slack.com"),
    ("vercel_marketplace", "https://marketplace.vercel.com"),
];

/// Names that clients may ask for. Those without an issuer speak no OpenID Connect and are never
/// on.
pub const PROVIDERS: [&str; 25] = [
    "apple",
    "azure",
    "bitbucket",
    "discord",
    "facebook",
    "figma",
    "fly",
    "github",
    "gitlab",
    "google",
    "kakao",
    "keycloak",
    "linkedin",
    "linkedin_oidc",
    "notion",
    "slack",
    "slack_oidc",
    "snapchat",
    "spotify",
    "twitch",
    "twitter",
    "vercel_marketplace",
    "workos",
    "x",
    "zoom",
];

/// `[auth.external.<name>]`: a provider that is switched on.
#[derive(Debug, Clone)]
pub struct Provider {
    /// Our names at the provider: the first is used for redirects, all are accepted in id_tokens
    /// (auth/CONTRACT.md G4).
    pub client_ids: Vec<String>,
    /// Our secret there; empty where the provider gives none.
    pub secret: SecretString,
    /// The address to which the provider sends people back; none means `<jwt_issuer>/callback`.
    pub redirect_uri: Option<String>,
    /// The provider's issuer; none where neither the project names one nor we know it: such a one
    /// is not offered.
    pub issuer: Option<String>,
    /// `true`: an id_token without the request's nonce is accepted (auth/CONTRACT.md I4).
    pub skip_nonce_check: bool,
    /// `true`: an account may lack an e-mail address (auth/CONTRACT.md G16).
    pub email_optional: bool,
}

pub(super) fn check(raw: BTreeMap<String, RawProvider>) -> Result<BTreeMap<String, Provider>, ConfigError> {
    let on = raw.into_iter().filter(|(_, provider)| provider.enabled);
    every(on.map(|(name, provider)| {
        let checked = Provider::check(&name, provider)?;
        Ok((name, checked))
    }))
}

/// `[auth.id_token_issuers]` of banyan.toml. The reference's variable names issuers alone; with
/// those, a token for whatever application would sign in here, so each needs its client ids.
pub(super) fn id_token_issuers(
    raw: BTreeMap<String, Vec<String>>,
    words: &Words<'_>,
) -> Result<BTreeMap<String, Vec<String>>, ConfigError> {
    let issuers: BTreeMap<String, Vec<String>> =
        raw.into_iter().map(|(issuer, ids)| (issuer.trim_end_matches('/').to_owned(), ids)).collect();
    if let Some((issuer, _)) = issuers.iter().find(|(_, ids)| ids.iter().all(|id| id.trim().is_empty())) {
        return Err(ConfigError::value(
            &format!("auth.id_token_issuers.\"{issuer}\""),
            "needs our client ids there",
        ));
    }
    for listed in words.list("EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS") {
        if !issuers.contains_key(listed.trim_end_matches('/')) {
            let key = "GOTRUE_EXTERNAL_ALLOWED_ID_TOKEN_ISSUERS";
            let what = format!(
                "needs our client ids at {listed}: name them in banyan.toml, [auth.id_token_issuers]"
            );
            return Err(ConfigError::value(key, &what));
        }
    }
    Ok(issuers)
}

/// The issuer of a provider, where it is known.
#[must_use]
pub fn known_issuer(name: &str) -> Option<&'static str> {
    ISSUERS.iter().find(|(known, _)| *known == name).map(|(_, issuer)| *issuer)
}

/// The issuer that the project names, or the provider's own.
fn issuer(name: &str, url: &str) -> Option<String> {
    let named = Some(url.trim_end_matches('/')).filter(|url| !url.is_empty());
    named.or_else(|| known_issuer(name)).map(str::to_owned)
}

/// The one of the names whose issuer is another for each who uses it.
const NEEDS_ISSUER: &str = "keycloak";

/// Warns of switched-on providers that cannot work, one sentence each.
pub(super) fn doubts(raw: &BTreeMap<String, RawProvider>) -> impl Iterator<Item = String> {
    // A name that is none ends the start, and needs no doubt.
    let on = raw.iter().filter(|(name, provider)| {
        provider.enabled && (!provider.url.is_empty() || PROVIDERS.contains(&name.as_str()))
    });
    on.filter_map(|(name, provider)| {
        let doubt = match issuer(name, &provider.url) {
            None if name == NEEDS_ISSUER => "stays off: it needs `url`, the issuer of the realm".to_owned(),
            None => format!("stays off: {}", not_offered(name)),
            Some(_) if provider.secret.is_empty() => NO_SECRET.to_owned(),
            Some(_) => return None,
        };
        Some(format!("config.toml: `auth.external.{name}` {doubt}"))
    })
}

/// Why a provider cannot be offered, and which of the same house is.
fn not_offered(name: &str) -> String {
    let other = format!("{name}_oidc");
    let other = known_issuer(&other).map(|_| format!("; `{other}` is offered")).unwrap_or_default();
    format!("this version offers providers of OpenID Connect alone, and {name} signs in by OAuth 2{other}")
}

const NO_SECRET: &str = "has no `secret`: the id_tokens of an application are accepted (signInWithIdToken), and the way over the \
    provider's page fails (signInWithOAuth)";

impl Provider {
    fn check(name: &str, raw: RawProvider) -> Result<Self, ConfigError> {
        let key = |part: &str| format!("auth.external.{name}{part}");
        if raw.url.is_empty() && !PROVIDERS.contains(&name) {
            return Err(ConfigError::value(&key(""), no_such_provider(name)));
        }
        if !raw.url.is_empty() && !is_issuer(&raw.url) {
            let what = variable(&raw.url).map_or_else(|| NO_ISSUER.to_owned(), unset);
            return Err(ConfigError::value(&key(".url"), what));
        }
        let client_ids: Vec<String> =
            raw.client_id.split(',').map(str::trim).filter(|id| !id.is_empty()).map(str::to_owned).collect();
        if client_ids.is_empty() {
            return Err(ConfigError::value(&key(".client_id"), "is required"));
        }
        // These two also serve id_tokens alone, which need no secret.
        if raw.secret.is_empty() && !matches!(name, "apple" | "google") {
            return Err(ConfigError::value(&key(".secret"), "is required"));
        }
        let text = |text: String| Some(text.trim_end_matches('/').to_owned()).filter(|text| !text.is_empty());
        Ok(Self {
            client_ids,
            secret: SecretString::from(raw.secret),
            redirect_uri: text(raw.redirect_uri),
            issuer: issuer(name, &raw.url),
            skip_nonce_check: raw.skip_nonce_check,
            email_optional: raw.email_optional,
        })
    }
}

/// The message for a name that no provider has. It never suggests a provider that is not offered.
fn no_such_provider(name: &str) -> String {
    let own = "One of your own needs `url`, its OpenID Connect issuer";
    match nearest(name, PROVIDERS) {
        Some(meant) if known_issuer(meant).is_some() || meant == NEEDS_ISSUER => {
            format!("there is no such provider; did you mean {meant}? {own}")
        }
        Some(meant) => {
            format!("there is no such provider. If {meant} is meant: {}. {own}", not_offered(meant))
        }
        None => format!("there is no such provider. {own}"),
    }
}

/// The message for an address that is no issuer's.
const NO_ISSUER: &str =
    "must begin with https://, as issuers of OpenID Connect do; http:// is for one on this machine alone";

/// Returns whether an address can be an issuer's.
fn is_issuer(url: &str) -> bool {
    url.starts_with("https://") || url.starts_with("http://") && crate::is_of_this_machine(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: auth/G18 CFG-EXTERNAL
    #[test]
    fn the_page_for_operators_lists_the_providers_that_work_by_name() {
        let readme = include_str!("../../../OPERATORS.md");
        let row = readme.lines().find(|line| line.starts_with("| Other providers |")).expect("a row");
        let by_name =
            row.split_once("By name alone: ").and_then(|(_, rest)| rest.split_once('.')).expect("a list").0;
        let listed: Vec<&str> = by_name.split(", ").map(|name| name.trim_matches('`')).collect();
        let known = ISSUERS.map(|(name, _)| name);
        assert_eq!(listed, known.into_iter().filter(|name| *name != "google").collect::<Vec<_>>());
    }
}
