//! Which statements a connection has prepared.

use std::collections::HashMap;

/// The prepared statements of one connection, at most `capacity` of them; the least recently used
/// gives way.
///
/// The role is part of the key: PostgreSQL plans a statement under row-level security for one role
/// and would plan it anew at each change of role.
#[derive(Debug)]
pub(crate) struct Prepared {
    by_text: HashMap<Box<str>, Vec<Entry>>,
    count: usize,
    capacity: usize,
    uses: u64,
    next_id: u64,
    closing: Vec<u64>,
}

#[derive(Debug)]
struct Entry {
    role: Box<str>,
    id: u64,
    last_used: u64,
}

impl Prepared {
    pub(crate) fn new(capacity: usize) -> Self {
        Self { by_text: HashMap::new(), count: 0, capacity, uses: 0, next_id: 0, closing: Vec::new() }
    }

    /// Whether statements are kept at all: behind some poolers the next pipeline meets another
    /// server process.
    pub(crate) fn keeps_any(&self) -> bool {
        self.capacity > 0
    }

    /// The statement's id on the server, when it is prepared.
    pub(crate) fn find(&mut self, role: &str, text: &str) -> Option<u64> {
        self.uses += 1;
        let entry = self.by_text.get_mut(text)?.iter_mut().find(|entry| &*entry.role == role)?;
        entry.last_used = self.uses;
        Some(entry.id)
    }

    /// An id that no statement of this connection had before.
    pub(crate) fn new_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    /// Remembers a statement that the server has confirmed.
    pub(crate) fn insert(&mut self, role: &str, text: &str, id: u64) {
        while self.count >= self.capacity.max(1) {
            self.evict();
        }
        self.uses += 1;
        let entry = Entry { role: role.into(), id, last_used: self.uses };
        self.by_text.entry(text.into()).or_default().push(entry);
        self.count += 1;
    }

    /// Forgets a statement that the server did not confirm after all.
    pub(crate) fn remove(&mut self, role: &str, text: &str, id: u64) {
        let Some(entries) = self.by_text.get_mut(text) else { return };
        if let Some(place) = entries.iter().position(|entry| entry.id == id && &*entry.role == role) {
            entries.swap_remove(place);
            self.count -= 1;
        }
        if entries.is_empty() {
            self.by_text.remove(text);
        }
    }

    /// Forgets everything; the next pipeline tells the server.
    pub(crate) fn forget_all(&mut self) {
        self.closing.extend(self.by_text.drain().flat_map(|(_, entries)| entries).map(|entry| entry.id));
        self.count = 0;
    }

    /// Ids that the server still holds and nobody needs.
    pub(crate) fn take_closing(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.closing)
    }

    fn evict(&mut self) {
        let oldest = self
            .by_text
            .iter()
            .flat_map(|(text, entries)| entries.iter().map(move |entry| (entry.last_used, text)))
            .min_by_key(|(last_used, _)| *last_used)
            .map(|(last_used, text)| (last_used, text.clone()));
        let Some((last_used, text)) = oldest else {
            self.count = 0;
            return;
        };
        let entries = self.by_text.get_mut(&text).expect("found a line above");
        let place = entries.iter().position(|entry| entry.last_used == last_used).expect("found above");
        self.closing.push(entries.swap_remove(place).id);
        if entries.is_empty() {
            self.by_text.remove(&text);
        }
        self.count -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_statement_gives_way() {
        let mut prepared = Prepared::new(2);
        for (id, text) in [(1, "a"), (2, "b")] {
            prepared.insert("anon", text, id);
        }
        assert_eq!(prepared.find("anon", "a"), Some(1));
        prepared.insert("anon", "c", 3);
        assert_eq!(prepared.find("anon", "b"), None);
        assert_eq!(prepared.find("anon", "a"), Some(1));
        assert_eq!(prepared.take_closing(), vec![2]);
        assert!(prepared.take_closing().is_empty());
    }

    #[test]
    fn what_was_not_confirmed_is_prepared_again() {
        let mut prepared = Prepared::new(8);
        prepared.insert("anon", "a", 1);
        prepared.remove("anon", "a", 2);
        assert_eq!(prepared.find("anon", "a"), Some(1));
        prepared.remove("anon", "a", 1);
        assert_eq!(prepared.find("anon", "a"), None);
        assert!(prepared.take_closing().is_empty(), "the server has nothing to close");
    }

    #[test]
    fn each_role_has_its_own_statement() {
        let mut prepared = Prepared::new(8);
        prepared.insert("anon", "a", 1);
        assert_eq!(prepared.find("authenticated", "a"), None);
        prepared.insert("authenticated", "a", 2);
        assert_eq!(prepared.find("anon", "a"), Some(1));
        prepared.forget_all();
        let mut closing = prepared.take_closing();
        closing.sort_unstable();
        assert_eq!(closing, vec![1, 2]);
    }
}
