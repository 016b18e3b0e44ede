//! Providers that say who somebody is: Google and any other that speaks OpenID Connect
//! (CONTRACT.md G4, G18, I2).

/// What a provider publishes about itself, remembered for a while.
mod discovery;

/// The code that came through the browser, for the provider's tokens.
mod exchange;

/// Checking id_tokens.
pub(crate) mod id_token;

/// What a provider says of somebody, in the words of identities.
pub(crate) mod profile;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use banyan_config::{Auth, PROVIDERS};
use secrecy::SecretString;
use time::OffsetDateTime;
use tokio::sync::{Semaphore, SemaphorePermit};

pub(crate) use self::{
    discovery::{Discovery, Documents, Published},
    exchange::{AuthorizationCode, Grant, exchange},
    profile::Profile,
};
use crate::{outbound::Outbound, wire::error::ProviderError};

/// A provider that is switched on.
#[derive(Debug, Clone)]
pub(crate) struct Provider {
    pub(crate) name: String,
    pub(crate) issuer: String,
    /// The first is used for redirects, all are accepted as audience of id_tokens (CONTRACT.md G4).
    pub(crate) client_ids: Vec<String>,
    pub(crate) secret: SecretString,
    pub(crate) redirect_uri: String,
    pub(crate) skip_nonce_check: bool,
    pub(crate) email_optional: bool,
    /// Places for codes that are exchanged with it.
    permits: Arc<Semaphore>,
}

/// Codes exchanged with one provider at a time. A provider that is slow holds up those who come by
/// it, and no more of the places that all requests share.
const MAX_EXCHANGES: usize = 32;
/// Longest wait for one of them.
const MAX_WAIT: Duration = Duration::from_secs(2);

impl Provider {
    /// A place among those who exchange a code now.
    ///
    /// # Errors
    /// [`ProviderError::Unreachable`] when there is none for a while.
    async fn permit(&self) -> Result<SemaphorePermit<'_>, ProviderError> {
        let busy = || ProviderError::Unreachable(format!("{MAX_EXCHANGES} others wait for {}", self.name));
        let permit = tokio::time::timeout(MAX_WAIT, self.permits.acquire()).await.map_err(|_| busy())?;
        permit.map_err(|_| busy())
    }

    /// Our name at the provider.
    pub(crate) fn client_id(&self) -> &str {
        self.client_ids.first().map(String::as_str).unwrap_or_default()
    }

    /// Scopes that are asked for in any case.
    pub(crate) fn scopes(&self) -> &'static [&'static str] {
        match self.name.as_str() {
            // Google gives an id_token for these two by themselves (CONTRACT.md G4).
            "google" => &["email", "profile"],
            "apple" => &["email", "name"],
            _ => &["openid", "email", "profile"],
        }
    }
}

/// All providers, and the way to them.
pub(crate) struct Providers {
    all: BTreeMap<String, Provider>,
    /// Issuers whose id_tokens are accepted besides, and our client ids there (CONTRACT.md I2).
    foreign_issuers: BTreeMap<String, Vec<String>>,
    pub(crate) documents: Documents,
    /// The client for calls to providers.
    pub(crate) outbound: Outbound,
}

impl Providers {
    /// The providers of the configuration. One that speaks no OpenID Connect is left out; the start
    /// says so.
    pub(crate) fn new(settings: &Auth) -> Self {
        Self {
            all: settings
                .external
                .iter()
                .filter_map(|(name, config)| provider(settings, name, config))
                .collect(),
            foreign_issuers: settings.id_token_issuers.clone(),
            documents: Documents::new(),
            outbound: Outbound::new(),
        }
    }

    /// The names that are on.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.all.keys().map(String::as_str)
    }

    /// The provider of a name, in any case.
    ///
    /// # Errors
    /// 400 `validation_failed` for one that is off or unknown (CONTRACT.md G2).
    pub(crate) fn find(&self, name: &str) -> Result<&Provider, ProviderError> {
        let name = name.to_ascii_lowercase();
        self.all.get(&name).ok_or_else(|| {
            if PROVIDERS.contains(&name.as_str()) {
                ProviderError::Disabled
            } else {
                ProviderError::Unknown(name.chars().filter(char::is_ascii_graphic).take(40).collect())
            }
        })
    }

    /// The provider that an issuer belongs to.
    pub(crate) fn of_issuer(&self, issuer: &str) -> Option<&Provider> {
        let issuer = issuer.trim_end_matches('/');
        self.all.values().find(|provider| provider.issuer == issuer)
    }

    /// An issuer without a provider whose id_tokens are accepted, by its one name, and our client
    /// ids there.
    pub(crate) fn foreign_issuer(&self, issuer: &str) -> Option<(&str, &[String])> {
        let found = self.foreign_issuers.get_key_value(issuer.trim_end_matches('/'));
        found.map(|(issuer, client_ids)| (issuer.as_str(), client_ids.as_slice()))
    }

    /// What the issuer publishes, at most an hour old.
    ///
    /// # Errors
    /// [`ProviderError::Unreachable`].
    pub(crate) async fn published(
        &self,
        issuer: &str,
        now: OffsetDateTime,
    ) -> Result<Published, ProviderError> {
        self.documents.of(&self.outbound, issuer, now).await
    }
}

fn provider(settings: &Auth, name: &str, config: &banyan_config::Provider) -> Option<(String, Provider)> {
    let provider = Provider {
        name: name.to_ascii_lowercase(),
        issuer: config.issuer.clone()?,
        client_ids: config.client_ids.clone(),
        secret: config.secret.clone(),
        redirect_uri: config
            .redirect_uri
            .clone()
            .unwrap_or_else(|| format!("{}/callback", settings.external_url)),
        skip_nonce_check: config.skip_nonce_check,
        email_optional: config.email_optional,
        permits: Arc::new(Semaphore::new(MAX_EXCHANGES)),
    };
    Some((provider.name.clone(), provider))
}
