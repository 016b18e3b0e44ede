use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration as Wait,
};

use bytes::Bytes;
use http::{Request, header};
use http_body_util::Full;
use jsonwebtoken::jwk::{Jwk, JwkSet};
use serde::{Deserialize, de::DeserializeOwned};
use time::{Duration, OffsetDateTime};

use super::profile::is_common;
use crate::{outbound::Outbound, wire::error::ProviderError};

/// How long a provider's documents count (CONTRACT.md G4).
const LIFE: Duration = Duration::HOUR;
/// How long they count while the provider does not answer.
const LONGEST_LIFE: Duration = Duration::DAY;
/// Shortest time between two looks for a key that is not known: providers rotate, attackers invent
/// ids.
const MIN_REFRESH_INTERVAL: Duration = Duration::seconds(10);
/// How long a provider may take.
pub(super) const TIME: Wait = Wait::from_secs(10);
/// Largest answer of a provider.
pub(super) const LARGEST: usize = 512 * 1024;
/// Issuers remembered.
const REMEMBERED: usize = 64;

/// The discovery document, as far as it is used (OpenID Connect Discovery 1.0, section 3).
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Discovery {
    pub(crate) issuer: String,
    pub(crate) authorization_endpoint: Option<String>,
    pub(crate) token_endpoint: Option<String>,
    pub(crate) userinfo_endpoint: Option<String>,
    pub(crate) jwks_uri: String,
    #[serde(default)]
    pub(crate) code_challenge_methods_supported: Vec<String>,
    #[serde(default)]
    pub(crate) token_endpoint_auth_methods_supported: Vec<String>,
}

/// What an issuer published when it was last asked.
#[derive(Debug, Clone)]
pub(crate) struct Published {
    pub(crate) discovery: Arc<Discovery>,
    keys: Arc<JwkSet>,
    at: OffsetDateTime,
    keys_at: OffsetDateTime,
}

/// The documents of issuers.
pub(crate) struct Documents {
    known: Mutex<HashMap<String, Issuer>>,
}

/// One issuer: what it published, and the turn to ask it. Whoever waits for the turn finds what the
/// one before learnt.
#[derive(Debug, Clone, Default)]
struct Issuer {
    published: Option<Published>,
    /// When it did not answer last.
    failed_at: Option<OffsetDateTime>,
    refresh_lock: Arc<tokio::sync::Mutex<()>>,
}

/// Names a key of an issuer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyId<'a> {
    pub(crate) issuer: &'a str,
    /// None names all keys.
    pub(crate) id: Option<&'a str>,
}

impl Documents {
    pub(super) fn new() -> Self {
        Self { known: Mutex::new(HashMap::new()) }
    }

    pub(super) async fn of(
        &self,
        outbound: &Outbound,
        issuer: &str,
        now: OffsetDateTime,
    ) -> Result<Published, ProviderError> {
        if let Some(published) = self.fresh(issuer, now) {
            return Ok(published);
        }
        let refresh_lock = self.issuer(issuer).refresh_lock;
        let _lock = refresh_lock.lock().await;
        if let Some(published) = self.fresh(issuer, now) {
            return Ok(published);
        }
        let known = self.issuer(issuer);
        let is_paused = known.failed_at.is_some_and(|at| now - at < MIN_REFRESH_INTERVAL);
        let stale = known.published.filter(|published| now - published.at < LONGEST_LIFE);
        if is_paused {
            return stale
                .ok_or_else(|| ProviderError::Unreachable(format!("{issuer} did not answer just now")));
        }
        match ask(outbound, issuer, now).await {
            Ok(published) => {
                self.remember(issuer, published.clone());
                Ok(published)
            }
            Err(error) => {
                self.change(issuer, |known| known.failed_at = Some(now));
                // Providers that are away for a while keep their keys.
                stale.ok_or(error)
            }
        }
    }

    /// The key of an id; asks the provider again for one that is not known, but not in short
    /// succession.
    pub(crate) async fn key(
        &self,
        outbound: &Outbound,
        KeyId { issuer, id }: KeyId<'_>,
        now: OffsetDateTime,
    ) -> Result<Vec<Jwk>, ProviderError> {
        let found = self.of(outbound, issuer, now).await?.named(id);
        if !found.is_empty() {
            return Ok(found);
        }
        let refresh_lock = self.issuer(issuer).refresh_lock;
        let _lock = refresh_lock.lock().await;
        let mut published =
            self.current(issuer).ok_or_else(|| ProviderError::Unreachable(issuer.to_owned()))?;
        let found = published.named(id);
        if !found.is_empty() || now - published.keys_at < MIN_REFRESH_INTERVAL {
            return Ok(found);
        }
        published.keys_at = now;
        self.remember(issuer, published.clone());
        published.keys = Arc::new(get(outbound, &published.discovery.jwks_uri).await?);
        self.remember(issuer, published.clone());
        Ok(published.named(id))
    }

    fn fresh(&self, issuer: &str, now: OffsetDateTime) -> Option<Published> {
        self.current(issuer).filter(|published| now - published.at < LIFE)
    }

    fn current(&self, issuer: &str) -> Option<Published> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).get(issuer)?.published.clone()
    }

    fn issuer(&self, issuer: &str) -> Issuer {
        self.change(issuer, |known| known.clone())
    }

    fn remember(&self, issuer: &str, published: Published) {
        self.change(issuer, |known| {
            known.published = Some(published);
            known.failed_at = None;
        });
    }

    fn change<T>(&self, issuer: &str, change: impl FnOnce(&mut Issuer) -> T) -> T {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= REMEMBERED && !known.contains_key(issuer) {
            known.clear();
        }
        change(known.entry(issuer.to_owned()).or_default())
    }
}

/// Asks an issuer for its documents.
async fn ask(outbound: &Outbound, issuer: &str, now: OffsetDateTime) -> Result<Published, ProviderError> {
    let discovery: Discovery = get(outbound, &format!("{issuer}/.well-known/openid-configuration")).await?;
    if !is_of(issuer, &discovery.issuer) {
        return Err(ProviderError::Unreachable(format!("{issuer} names another issuer")));
    }
    let keys = get(outbound, &discovery.jwks_uri).await?;
    Ok(Published { discovery: Arc::new(discovery), keys: Arc::new(keys), at: now, keys_at: now })
}

impl Published {
    /// The keys of an id; all of them where a token names none.
    fn named(&self, id: Option<&str>) -> Vec<Jwk> {
        let keys = self.keys.keys.iter();
        keys.filter(|key| id.is_none() || key.common.key_id.as_deref() == id).cloned().collect()
    }
}

/// Whether a document belongs to the issuer it was asked of. Azure's common document names a
/// pattern of issuers.
fn is_of(asked: &str, named: &str) -> bool {
    let named = named.trim_end_matches('/');
    named == asked || is_common(asked) && named == asked.replace("/common/", "/{tenantid}/")
}

async fn get<T: DeserializeOwned>(outbound: &Outbound, url: &str) -> Result<T, ProviderError> {
    let failed = |what: String| ProviderError::Unreachable(format!("{url}: {what}"));
    let request = Request::get(url)
        .header(header::ACCEPT, "application/json")
        .body(Full::<Bytes>::default())
        .map_err(|error| failed(error.to_string()))?;
    let reply = outbound.send(request, TIME, LARGEST).await.map_err(|error| failed(error.to_string()))?;
    if !reply.status.is_success() {
        return Err(failed(format!("status {}", reply.status.as_u16())));
    }
    serde_json::from_slice(&reply.body).map_err(|error| failed(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_must_name_the_issuer_it_was_asked_of() {
        assert!(is_of("https://accounts.google.com", "https://accounts.google.com"));
        assert!(is_of("https://idp.example/realm", "https://idp.example/realm/"));
        assert!(!is_of("https://accounts.google.com", "https://evil.example"));
        let azure = "https://login.microsoftonline.com/common/v2.0";
        assert!(is_of(azure, "https://login.microsoftonline.com/{tenantid}/v2.0"));
        assert!(!is_of(azure, "https://login.microsoftonline.com/other/v2.0"));
    }
}
