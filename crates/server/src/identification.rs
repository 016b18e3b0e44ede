//! Who says who is calling.

use std::sync::Arc;

use arc_swap::ArcSwap;
use banyan_identity::{ApiKeys, Identified, Keyring, Verifier};
use http::HeaderMap;
use time::OffsetDateTime;

/// How the caller of a service is found.
#[derive(Clone)]
pub(crate) enum Identification {
    /// Nobody is asked: the service is for everybody.
    NotAsked,
    /// By the project's API keys and by tokens of its signing keys.
    Project { keyring: Arc<Keyring>, api_keys: Arc<ApiKeys> },
    /// By tokens alone, as the options of the data API say now.
    Tokens(Arc<ArcSwap<Verifier>>),
}

impl Identification {
    /// The caller, or why that is refused. None where nobody is asked.
    pub(crate) fn identify(&self, headers: &HeaderMap, now: OffsetDateTime) -> Option<Identified> {
        match self {
            Self::NotAsked => None,
            Self::Project { keyring, api_keys } => Some(keyring.identify(api_keys, headers, now)),
            Self::Tokens(verifier) => Some(verifier.load().identify(headers, now)),
        }
    }
}
