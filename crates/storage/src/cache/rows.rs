//! Rows of buckets and objects, by name.

use std::{
    hash::{Hash, Hasher},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use quick_cache::{Equivalent, sync::Cache};

use crate::{model::Bucket, wire::ServedObject};

/// Rows that are kept at most.
const MOST_BUCKETS: usize = 1024;
const MOST_OBJECTS: usize = 16 * 1024;

/// Names share this many counters of changes.
const COUNTERS: usize = 256;

/// Rows of buckets and objects. They are believed only while the database tells of changes.
///
/// A row that was read before a change must not be kept after it. So whoever reads a row counts the
/// changes first, by [`RowCache::before`], and a row is kept only if there were none since.
#[derive(Debug)]
pub(crate) struct RowCache {
    hears: AtomicBool,
    changes: [AtomicU64; COUNTERS],
    buckets: Cache<String, Arc<Bucket>>,
    objects: Cache<ObjectKey, Arc<ServedObject>>,
}

/// How many changes there were before a row was read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Before {
    counter: usize,
    changes: u64,
}

/// A row of the cache, or how to keep the one that the database has.
#[derive(Debug)]
pub(crate) enum Found<T> {
    Kept(Arc<T>),
    /// None while nothing may be kept.
    Missing(Option<Before>),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct ObjectKey {
    bucket: Box<str>,
    name: Box<str>,
}

/// The same, borrowed.
#[derive(Hash)]
struct ObjectKeyRef<'a> {
    bucket: &'a str,
    name: &'a str,
}

impl Equivalent<ObjectKey> for ObjectKeyRef<'_> {
    fn equivalent(&self, key: &ObjectKey) -> bool {
        *self.bucket == *key.bucket && *self.name == *key.name
    }
}

impl Default for RowCache {
    fn default() -> Self {
        Self {
            hears: AtomicBool::new(false),
            changes: [const { AtomicU64::new(0) }; COUNTERS],
            buckets: Cache::new(MOST_BUCKETS),
            objects: Cache::new(MOST_OBJECTS),
        }
    }
}

impl RowCache {
    /// Finds the row of a bucket.
    pub(crate) fn bucket(&self, id: &str) -> Found<Bucket> {
        self.found(|| self.buckets.get(id), id, "")
    }

    /// Finds the row of an object.
    pub(crate) fn object(&self, bucket: &str, name: &str) -> Found<ServedObject> {
        self.found(|| self.objects.get(&ObjectKeyRef { bucket, name }), bucket, name)
    }

    /// Keeps the row of a bucket, unless it was changed since.
    pub(crate) fn keep_bucket(&self, before: Option<Before>, bucket: &Arc<Bucket>) {
        self.keep(
            before,
            || self.buckets.insert(bucket.id.clone(), Arc::clone(bucket)),
            || self.buckets.remove(&bucket.id).is_some(),
        );
    }

    /// Keeps the row of an object, unless it was changed since.
    pub(crate) fn keep_object(
        &self,
        before: Option<Before>,
        (bucket, name): (&str, &str),
        object: &Arc<ServedObject>,
    ) {
        let key = || ObjectKey { bucket: bucket.into(), name: name.into() };
        self.keep(
            before,
            || self.objects.insert(key(), Arc::clone(object)),
            || self.objects.remove(&ObjectKeyRef { bucket, name }).is_some(),
        );
    }

    /// The row of an object was changed.
    pub(crate) fn forget_object(&self, bucket: &str, name: &str) {
        self.count(counter(bucket, name));
        self.objects.remove(&ObjectKeyRef { bucket, name });
    }

    /// The row of a bucket was changed.
    pub(crate) fn forget_bucket(&self, id: &str) {
        self.count(counter(id, ""));
        self.buckets.remove(id);
    }

    /// Many objects of a bucket were changed.
    pub(crate) fn forget_objects_of(&self, bucket: &str) {
        (0..COUNTERS).for_each(|counter| self.count(counter));
        self.objects.retain(|key, _| *key.bucket != *bucket);
    }

    /// From now on the database tells of changes.
    pub(crate) fn begin_to_hear(&self) {
        self.forget_all();
        self.hears.store(true, Ordering::SeqCst);
    }

    /// The database tells of changes no more.
    pub(crate) fn hear_no_more(&self) {
        self.hears.store(false, Ordering::SeqCst);
        self.forget_all();
    }

    /// Anything may have been changed.
    pub(crate) fn forget_all(&self) {
        (0..COUNTERS).for_each(|counter| self.count(counter));
        self.buckets.clear();
        self.objects.clear();
    }

    fn found<T>(&self, kept: impl FnOnce() -> Option<Arc<T>>, bucket: &str, name: &str) -> Found<T> {
        if !self.hears.load(Ordering::SeqCst) {
            return Found::Missing(None);
        }
        let before = || {
            let counter = counter(bucket, name);
            Before { counter, changes: self.changes[counter].load(Ordering::SeqCst) }
        };
        kept().map_or_else(|| Found::Missing(Some(before())), Found::Kept)
    }

    /// Keeps first and looks for changes then: whoever counts a change removes the row afterwards.
    fn keep(&self, before: Option<Before>, insert: impl FnOnce(), remove: impl FnOnce() -> bool) {
        let Some(before) = before else { return };
        insert();
        let is_changed = self.changes[before.counter].load(Ordering::SeqCst) != before.changes;
        if is_changed || !self.hears.load(Ordering::SeqCst) {
            remove();
        }
    }

    fn count(&self, counter: usize) {
        self.changes[counter].fetch_add(1, Ordering::SeqCst);
    }
}

/// The counter of a name.
#[expect(clippy::cast_possible_truncation, reason = "a remainder")]
fn counter(bucket: &str, name: &str) -> usize {
    let mut hasher = std::hash::DefaultHasher::new();
    (bucket, name).hash(&mut hasher);
    (hasher.finish() % COUNTERS as u64) as usize
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const PATH: (&str, &str) = ("b", "a/b.txt");

    fn object() -> Arc<ServedObject> {
        Arc::new(ServedObject::of(None, &json!({"size": 1})))
    }

    fn hearing() -> RowCache {
        let cache = RowCache::default();
        cache.begin_to_hear();
        cache
    }

    fn before(cache: &RowCache) -> Option<Before> {
        match cache.object(PATH.0, PATH.1) {
            Found::Missing(before) => before,
            Found::Kept(_) => panic!("it is kept"),
        }
    }

    fn is_kept(cache: &RowCache) -> bool {
        matches!(cache.object(PATH.0, PATH.1), Found::Kept(_))
    }

    // rows: U16
    #[test]
    fn a_row_is_kept_until_it_is_changed() {
        let cache = hearing();
        cache.keep_object(before(&cache), PATH, &object());
        assert!(is_kept(&cache));
        cache.forget_object("b", "other");
        cache.forget_object("b", "a/b.txt/");
        assert!(is_kept(&cache));
        cache.forget_object(PATH.0, PATH.1);
        assert!(!is_kept(&cache));
        cache.keep_object(before(&cache), PATH, &object());
        cache.forget_objects_of("c");
        assert!(is_kept(&cache));
        cache.forget_objects_of("b");
        assert!(!is_kept(&cache));
    }

    // rows: U16
    #[test]
    fn a_row_that_was_read_before_a_change_is_not_kept_after_it() {
        for change in [
            |cache: &RowCache| cache.forget_object(PATH.0, PATH.1),
            |cache: &RowCache| cache.forget_objects_of(PATH.0),
            RowCache::forget_all,
            RowCache::hear_no_more,
            RowCache::begin_to_hear,
        ] {
            let cache = hearing();
            let before = before(&cache);
            change(&cache);
            cache.keep_object(before, PATH, &object());
            assert!(!is_kept(&cache));
        }
    }

    // rows: U16
    #[test]
    fn nothing_is_kept_while_the_database_tells_of_no_changes() {
        let cache = RowCache::default();
        cache.keep_object(before(&cache), PATH, &object());
        assert!(!is_kept(&cache));
        cache.begin_to_hear();
        cache.keep_object(before(&cache), PATH, &object());
        cache.hear_no_more();
        assert!(!is_kept(&cache));
        cache.begin_to_hear();
        assert!(!is_kept(&cache));
    }
}
