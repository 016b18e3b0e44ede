//! The tokens already checked, within bounds.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use quick_cache::{Weighter, sync::Cache};
use sha2::{Digest, Sha256};

use crate::{Claims, keyring::KeySet};

/// How much is remembered. A token counts as its share of the bytes at least, so that neither bound
/// is exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bounds {
    /// Tokens at most; 0 remembers none.
    pub(super) tokens: usize,
    /// Bytes that their claims take at most.
    pub(super) bytes: u64,
}

/// Remembers the claims of checked tokens by the tokens' SHA-256.
pub(super) struct CheckedTokens {
    cache: Option<Cache<TokenId, Checked, ByBytes>>,
    requests: AtomicU64,
    hits: AtomicU64,
    kept: AtomicU64,
}

/// The SHA-256 of a token.
pub(super) type TokenId = [u8; 32];

/// Claims, and the keys that proved them.
#[derive(Clone)]
struct Checked {
    claims: Arc<Claims>,
    by: Arc<KeySet>,
}

/// Bounds what is remembered by its size: a token may be a hundred times as long as another.
#[derive(Clone)]
struct ByBytes {
    least: u64,
}

impl Weighter<TokenId, Checked> for ByBytes {
    fn weight(&self, _: &TokenId, checked: &Checked) -> u64 {
        checked.claims.weight().max(self.least)
    }
}

/// Counts of the memory of checked tokens (rest/CONTRACT.md Z04).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Lookups {
    /// Tokens looked for.
    pub requests: u64,
    /// Tokens found.
    pub hits: u64,
    /// Tokens that had to give way to others.
    pub evictions: u64,
}

impl CheckedTokens {
    pub(super) fn new(bounds: Bounds) -> Self {
        let cache = (bounds.tokens > 0).then(|| {
            let least = bounds.bytes.div_ceil(bounds.tokens as u64);
            Cache::with_weighter(bounds.tokens, bounds.bytes, ByBytes { least })
        });
        let [requests, hits, kept] = [const { AtomicU64::new(0) }; 3];
        Self { cache, requests, hits, kept }
    }

    pub(super) fn id(token: &str) -> TokenId {
        Sha256::digest(token.as_bytes()).into()
    }

    /// The claims of a token that these keys proved before.
    pub(super) fn find(&self, id: &TokenId, keys: &Arc<KeySet>) -> Option<Arc<Claims>> {
        let cache = self.cache.as_ref()?;
        self.requests.fetch_add(1, Ordering::Relaxed);
        let Checked { claims, .. } = cache.get(id).filter(|found| Arc::ptr_eq(&found.by, keys))?;
        self.hits.fetch_add(1, Ordering::Relaxed);
        Some(claims)
    }

    pub(super) fn keep(&self, id: TokenId, claims: &Arc<Claims>, keys: Arc<KeySet>) {
        let Some(cache) = &self.cache else { return };
        cache.insert(id, Checked { claims: Arc::clone(claims), by: keys });
        self.kept.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn forget(&self, id: &TokenId) {
        let removed = self.cache.as_ref().and_then(|cache| cache.remove(id));
        if removed.is_some() {
            self.kept.fetch_sub(1, Ordering::Relaxed);
        }
    }

    pub(super) fn lookups(&self) -> Lookups {
        let held = self.cache.as_ref().map_or(0, Cache::len) as u64;
        Lookups {
            requests: self.requests.load(Ordering::Relaxed),
            hits: self.hits.load(Ordering::Relaxed),
            evictions: self.kept.load(Ordering::Relaxed).saturating_sub(held),
        }
    }

    /// Tokens that are held, and the bytes that they count as.
    #[cfg(test)]
    pub(super) fn held(&self) -> (u64, u64) {
        self.cache.as_ref().map_or((0, 0), |cache| (cache.len() as u64, cache.weight()))
    }
}
