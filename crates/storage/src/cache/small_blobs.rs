//! Small blobs, by version.

use bytes::Bytes;
use quick_cache::{Weighter, sync::Cache};

use crate::model::Version;

/// Largest blob that is kept, in bytes.
pub(crate) const LARGEST_KEPT: u64 = 64 << 10;

/// Bytes that all blobs may take.
const CAPACITY: u64 = 16 << 20;

/// Blobs that are expected, for the size of the table.
const EXPECTED: usize = 2048;

/// Small blobs.
#[derive(Debug)]
pub(crate) struct BlobCache(Cache<Version, Bytes, Length>);

impl Default for BlobCache {
    fn default() -> Self {
        Self(Cache::with_weighter(EXPECTED, CAPACITY, Length))
    }
}

impl BlobCache {
    /// The blob of a version, if it is kept.
    pub(crate) fn get(&self, version: Version) -> Option<Bytes> {
        self.0.get(&version)
    }

    /// Keeps a blob of at most [`LARGEST_KEPT`] bytes for as long as there is room.
    pub(crate) fn keep(&self, version: Version, blob: Bytes) {
        if blob.len() as u64 <= LARGEST_KEPT {
            self.0.insert(version, blob);
        }
    }
}

/// Bytes that an entry takes.
#[derive(Debug, Clone)]
struct Length;

impl Weighter<Version, Bytes> for Length {
    fn weight(&self, _: &Version, blob: &Bytes) -> u64 {
        blob.len() as u64 + 128
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(number: u128) -> Version {
        Version(uuid::Uuid::from_u128(number))
    }

    // rows: D18
    #[test]
    fn memory_is_bounded_and_large_blobs_are_not_kept() {
        let cache = BlobCache::default();
        cache.keep(version(0), Bytes::from(vec![0; 64 * 1024 + 1]));
        assert_eq!(cache.get(version(0)), None);
        for number in 1..1000 {
            cache.keep(version(number), Bytes::from(vec![0; 64 * 1024]));
        }
        assert!(cache.0.weight() <= CAPACITY, "{}", cache.0.weight());
        cache.keep(version(7), Bytes::from_static(b"seven"));
        assert_eq!(cache.get(version(7)).as_deref(), Some(&b"seven"[..]));
        cache.forget(version(7));
        assert_eq!(cache.get(version(7)), None);
    }
}
