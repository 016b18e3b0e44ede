//! A sentence as the rules read it: words in small letters, and where its clauses begin.

use std::cell::OnceCell;
use std::ops::Range;

use super::lists::LISTS;
use super::spelt_out_words;
use crate::moderation::rules::{any, places, words};

/// Positions of words: the first one, and the one behind the last.
pub(super) type Place = (usize, usize);

pub(super) struct Sentence {
    pub(super) words: Vec<String>,
    /// The first word of each clause; commas, colons and brackets part clauses.
    clauses: Vec<usize>,
    /// A sign at its end says that more follows, as a colon does.
    pub(super) is_open: bool,
    /// Verbs that ask and are forbidden, from the first to the last; known once somebody asks.
    pub(super) bans: OnceCell<Vec<Place>>,
}

/// A longer text is no sentence. It is read in pieces that overlap, so that its length costs
/// little.
const LONGEST: usize = 120;

/// Signs behind which the lines of a list follow.
const OPENING: [char; 6] = [':', '-', '–', '—', '👇', '⬇'];

/// How many words an entry of a list may have, where it must begin at a place.
const LONGEST_ENTRY: usize = 6;

impl Sentence {
    pub(super) fn all_of(text: &str) -> Vec<Self> {
        Self::parted(&spelt_out_words::joined(text).to_lowercase())
    }

    /// The same sentences with their capital letters.
    pub(super) fn as_written(text: &str) -> Vec<Self> {
        Self::parted(&spelt_out_words::joined(text))
    }

    fn parted(text: &str) -> Vec<Self> {
        let ends = ['.', '!', '?', ';', '।', '\n'];
        let sentences = text.split(ends).map(Self::of);
        sentences.filter(|sentence| !sentence.words.is_empty()).flat_map(Self::in_pieces).collect()
    }

    fn in_pieces(self) -> Vec<Self> {
        let length = self.words.len();
        if length <= LONGEST {
            return vec![self];
        }
        let piece = |begin: usize| self.piece(begin..length.min(begin + LONGEST));
        (0..length).step_by(LONGEST / 2).map(piece).collect()
    }

    fn piece(&self, range: Range<usize>) -> Self {
        let within = self.clauses.iter().filter(|at| range.contains(at) && **at > range.start);
        let clauses = std::iter::once(0).chain(within.map(|at| at - range.start)).collect();
        let is_open = self.is_open && range.end == self.words.len();
        Self { words: self.words[range].to_vec(), clauses, is_open, bans: OnceCell::new() }
    }

    fn of(text: &str) -> Self {
        let is_open = text.trim_end_matches(is_adornment).ends_with(OPENING);
        let mut sentence = Self { words: Vec::new(), clauses: Vec::new(), is_open, bans: OnceCell::new() };
        for clause in text.split([',', ':', '(', ')', '–', '—']) {
            sentence.clauses.push(sentence.words.len());
            sentence.words.extend(words(clause));
        }
        sentence.read_no_as_number();
        sentence
    }

    /// "Aadhaar no" is a number, and forbids nothing.
    fn read_no_as_number(&mut self) {
        for at in 1..self.words.len() {
            if self.words[at] == "no" && LISTS.numbered.contains(&self.word(at - 1)) {
                self.words[at] = "number".to_owned();
            }
        }
    }

    /// The sentence with a thing in place of some words.
    pub(super) fn with(&self, place: Range<usize>, thing: &str) -> Self {
        let thing = words(thing);
        let moved = |begin: &usize| {
            if *begin <= place.start { *begin } else { *begin - place.len() + thing.len() }
        };
        let clauses = self.clauses.iter().map(moved).collect();
        let mut words = self.words.clone();
        words.splice(place.clone(), thing);
        Self { words, clauses, is_open: self.is_open, bans: OnceCell::new() }
    }

    pub(super) fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", String::as_str)
    }

    pub(super) fn has(&self, entries: &[&str]) -> bool {
        any(&self.words, entries)
    }

    pub(super) fn places(&self, entries: &'static [&'static str]) -> impl Iterator<Item = Place> {
        entries.iter().flat_map(|entry| places(&self.words, entry))
    }

    /// Whether one of these begins at a place.
    pub(super) fn begins(&self, at: usize, entries: &[&str]) -> bool {
        let behind = self.behind(at.min(self.words.len()), LONGEST_ENTRY);
        entries.iter().any(|entry| places(behind, entry).next().is_some_and(|(begin, _)| begin == 0))
    }

    /// At most so many words before a place.
    pub(super) fn before(&self, at: usize, reach: usize) -> &[String] {
        &self.words[at.saturating_sub(reach)..at]
    }

    /// At most so many words behind a place.
    pub(super) fn behind(&self, end: usize, reach: usize) -> &[String] {
        &self.words[end..self.words.len().min(end + reach)]
    }

    /// The clause that a word stands in.
    pub(super) fn clause(&self, at: usize) -> Range<usize> {
        let begin = self.clauses.iter().rev().find(|begin| **begin <= at);
        let end = self.clauses.iter().find(|begin| **begin > at);
        begin.copied().unwrap_or(0)..end.copied().unwrap_or(self.words.len())
    }
}

/// Characters that may stand behind such a sign: spaces, and the stars of bold letters.
fn is_adornment(c: char) -> bool {
    c.is_whitespace() || "*_\u{fe0f}".contains(c)
}
