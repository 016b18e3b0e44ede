//! Verbs of the other languages that ask, in whatever form they do.

use super::lists::{LISTS, Verbs};
use super::sentence::{Place, Sentence};
use crate::moderation::rules::places;

impl Sentence {
    /// Positions where the other languages ask: by a listed word, or by a stem with an ending that
    /// asks or with a helping verb.
    pub(super) fn verbs_elsewhere(&self) -> impl Iterator<Item = Place> {
        let inflected = LISTS.verbs.iter().flat_map(|verbs| self.inflected(verbs));
        self.places(&LISTS.asking_elsewhere).chain(inflected)
    }

    fn inflected(&self, verbs: &'static Verbs<'static>) -> impl Iterator<Item = Place> {
        verbs.stems.iter().flat_map(move |stem| {
            let (before, last) = stem.rsplit_once(' ').map_or(("", *stem), |(before, last)| (before, last));
            (0..self.words.len()).filter_map(move |at| {
                let ending = self.word(at).strip_prefix(last)?;
                let asks = verbs.endings.contains(&ending)
                    || (ending.is_empty() && LISTS.helpers.contains(&self.word(at + 1)));
                let length = before.split(' ').filter(|word| !word.is_empty()).count();
                let begin = at.checked_sub(length)?;
                let is_whole = length == 0 || places(&self.words[begin..at], before).next().is_some();
                (asks && is_whole).then(|| (begin, if ending.is_empty() { at + 2 } else { at + 1 }))
            })
        })
    }
}
