//! How often a path may be rendered (CONTRACT.md I07).

use quick_cache::sync::Cache;
use time::OffsetDateTime;

/// Seconds that are counted together, so that a page may load a few images at once.
const WINDOW: i64 = 4;

/// Paths that are counted; rarely used ones are forgotten first.
const PATHS: usize = 10_000;

/// Counts the renders of each path.
#[derive(Debug)]
pub(crate) struct RenderRate {
    per_second: u32,
    /// The window that a path was last asked for in, and how often.
    counts: Cache<String, (i64, u32)>,
}

impl RenderRate {
    pub(crate) fn new(per_second: u32) -> Self {
        Self { per_second, counts: Cache::new(PATHS) }
    }

    /// Counts a request, and says whether it may be answered.
    pub(crate) fn allows(&self, path: &str, now: OffsetDateTime) -> bool {
        let window = now.unix_timestamp() / WINDOW;
        let before = self.counts.get(path).filter(|(counted, _)| *counted == window);
        let count = before.map_or(1, |(_, count)| count.saturating_add(1));
        self.counts.insert(path.to_owned(), (window, count));
        i64::from(count) <= i64::from(self.per_second) * WINDOW
    }
}

#[cfg(test)]
mod tests {
    use time::{Duration, macros::datetime};

    use super::*;

    // rows: I07
    #[test]
    fn a_path_is_rendered_so_often_in_a_while() {
        let rate = RenderRate::new(1);
        let now = datetime!(2026-11-27 12:00:00 UTC);
        let allowed = (0..6).filter(|_| rate.allows("/a", now)).count();
        assert_eq!(allowed, 4);
        assert!(rate.allows("/b", now));
        assert!(rate.allows("/a", now + Duration::seconds(4)));
    }
}
