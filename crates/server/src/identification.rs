//! How the caller of a service is found: by a verifier, or not at all.

use std::sync::Arc;

use arc_swap::ArcSwap;
use banyan_identity::{Credentials, Identified, TokenError, Verifier};
use http::{HeaderMap, Uri};
use time::OffsetDateTime;

/// How the caller of a service is found.
#[derive(Clone)]
pub(crate) enum Identification {
    /// Nobody is asked: the service is for everybody.
    NotAsked,
    /// By a verifier, which may be replaced while requests run, and the headers.
    FromHeaders(Arc<ArcSwap<Verifier>>),
    /// As well by a token that stands in `Authorization` without a scheme (storage/CONTRACT.md
    /// C02).
    FromHeadersOrBareToken(Arc<ArcSwap<Verifier>>),
    /// As well by the query, since a browser opens a socket without headers (CONTRACT.md
    /// GW-SOCKET-KEYS).
    FromHeadersOrQuery(Arc<ArcSwap<Verifier>>),
}

impl Identification {
    /// By a verifier that stays.
    pub(crate) fn of(verifier: Verifier) -> Self {
        Self::FromHeaders(Arc::new(ArcSwap::from_pointee(verifier)))
    }

    /// The same verifier, which reads the query too.
    pub(crate) fn or_query(self) -> Self {
        match self {
            Self::FromHeaders(verifier) => Self::FromHeadersOrQuery(verifier),
            other => other,
        }
    }

    /// The same verifier, for which the word `Bearer` may be left out.
    pub(crate) fn or_bare_token(self) -> Self {
        match self {
            Self::FromHeaders(verifier) => Self::FromHeadersOrBareToken(verifier),
            other => other,
        }
    }

    /// The caller, or why that is refused. None where nobody is asked.
    pub(crate) fn identify(&self, headers: &HeaderMap, uri: &Uri, now: OffsetDateTime) -> Option<Identified> {
        let verifier = self.verifier()?.load();
        let credentials = self.credentials(headers, uri);
        Some(credentials.and_then(|credentials| verifier.caller(&credentials, now)))
    }

    /// The same once a message on the socket of this request brings a newer token.
    pub(crate) fn identify_again(
        &self,
        headers: &HeaderMap,
        uri: &Uri,
        token: &str,
        now: OffsetDateTime,
    ) -> Option<Identified> {
        let verifier = self.verifier()?.load();
        let credentials = self.credentials(headers, uri);
        Some(credentials.and_then(|all| verifier.caller(&all.with_access_token(token), now)))
    }

    fn verifier(&self) -> Option<&ArcSwap<Verifier>> {
        match self {
            Self::NotAsked => None,
            Self::FromHeaders(verifier)
            | Self::FromHeadersOrBareToken(verifier)
            | Self::FromHeadersOrQuery(verifier) => Some(verifier),
        }
    }

    fn credentials<'a>(&self, headers: &'a HeaderMap, uri: &Uri) -> Result<Credentials<'a>, TokenError> {
        match self {
            Self::FromHeadersOrQuery(_) => Credentials::of_socket(headers, uri.query().unwrap_or_default()),
            Self::FromHeadersOrBareToken(_) => Ok(Credentials::from_headers(headers)?.or_bare_token()),
            _ => Credentials::from_headers(headers),
        }
    }
}
