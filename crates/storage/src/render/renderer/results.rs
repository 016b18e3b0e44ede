//! Rendered images, in memory.

use bytes::Bytes;
use quick_cache::{Weighter, sync::Cache};

use crate::{model::Version, render::pipeline};

/// Results that are expected, for the size of the table.
const EXPECTED: usize = 1024;

/// What an entry takes beside its bytes.
const ENTRY: u64 = 256;

/// A rendered image.
#[derive(Debug, Clone)]
pub(crate) struct Rendered {
    pub(crate) bytes: Bytes,
    pub(crate) media_type: &'static str,
}

impl From<Bytes> for Rendered {
    fn from(bytes: Bytes) -> Self {
        let media_type = pipeline::media_type(&bytes);
        Self { bytes, media_type }
    }
}

/// Which image it is: the version of the source, and what was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Variant {
    pub(super) version: Version,
    pub(super) name: String,
}

/// Results. Those that nobody asks for go first. That of a deleted object is found by nobody, since
/// its version comes from the row.
#[derive(Debug)]
pub(super) struct Results(Cache<Variant, Rendered, Length>);

impl Results {
    /// Room for results of so many bytes together.
    pub(super) fn new(capacity: u64) -> Self {
        Self(Cache::with_weighter(EXPECTED, capacity, Length))
    }

    pub(super) fn get(&self, variant: &Variant) -> Option<Rendered> {
        self.0.get(variant)
    }

    /// Keeps a result for as long as there is room.
    pub(super) fn keep(&self, variant: Variant, rendered: Rendered) {
        self.0.insert(variant, rendered);
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.0.len()
    }
}

/// Bytes that an entry takes.
#[derive(Debug, Clone)]
struct Length;

impl Weighter<Variant, Rendered> for Length {
    fn weight(&self, _: &Variant, rendered: &Rendered) -> u64 {
        rendered.bytes.len() as u64 + ENTRY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: B7
    #[test]
    fn results_take_no_more_memory_than_they_may() {
        let results = Results::new(10_000_000);
        let variant = |number: u32| Variant { version: Version(uuid::Uuid::nil()), name: number.to_string() };
        let rendered = Rendered { bytes: Bytes::from(vec![0; 100_000]), media_type: "image/png" };
        for number in 0..1000 {
            results.keep(variant(number), rendered.clone());
        }
        assert!((1..100).contains(&results.count()), "{}", results.count());
        assert!(results.0.weight() <= 10_000_000);
        let kept = (0..1000).filter(|number| results.get(&variant(*number)).is_some()).count();
        assert_eq!(kept, results.count());
    }
}
