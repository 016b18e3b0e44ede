//! Who says who is calling.

use std::sync::Arc;

use arc_swap::ArcSwap;
use banyan_identity::{Identified, Verifier};
use http::HeaderMap;
use time::OffsetDateTime;

/// How the caller of a service is found.
#[derive(Clone)]
pub(crate) enum Identification {
    /// Nobody is asked: the service is for everybody.
    NotAsked,
    /// By a verifier, which may be replaced while requests run.
    By(Arc<ArcSwap<Verifier>>),
}

impl Identification {
    /// By a verifier that stays.
    pub(crate) fn of(verifier: Verifier) -> Self {
        Self::By(Arc::new(ArcSwap::from_pointee(verifier)))
    }

    /// The caller, or why that is refused. None where nobody is asked.
    pub(crate) fn identify(&self, headers: &HeaderMap, now: OffsetDateTime) -> Option<Identified> {
        match self {
            Self::NotAsked => None,
            Self::By(verifier) => Some(verifier.load().identify(headers, now)),
        }
    }
}
