//! Requests without a verb that asks, and secrets that are typed where they belong.

use super::lists::LISTS;
use super::sentence::{Place, Sentence};
use crate::moderation::rules::any;

/// How far the arrival of a code may stand from it.
const REACH_OF_ARRIVAL: usize = 6;

impl Sentence {
    /// "OTP please!": a sentence of nothing but the thing and words that urge.
    pub(super) fn is_bare_demand(&self, things: &[Place]) -> bool {
        let is_thing = |at: usize| things.iter().any(|(begin, end)| (*begin..*end).contains(&at));
        let is_bare = |at: usize| {
            let word = &self.words[at..=at];
            is_thing(at) || any(word, &LISTS.urging) || any(word, &LISTS.bare)
        };
        !things.is_empty() && self.has(&LISTS.urging) && (0..self.words.len()).all(is_bare)
    }

    /// Codes by what is said of them: "the code that came on your phone".
    pub(super) fn codes_that_came(&self) -> impl Iterator<Item = Place> {
        self.places(&LISTS.codes).filter(|(at, end)| {
            any(self.before(*at, REACH_OF_ARRIVAL), &LISTS.arrived)
                || any(self.behind(*end, REACH_OF_ARRIVAL), &LISTS.arrived)
        })
    }

    /// Whether it is typed on a portal or in an app, where it belongs, and nobody else reads it.
    pub(super) fn is_typed_in_place(&self, place: Place) -> bool {
        self.has(&LISTS.own_places)
            && !self.has(&LISTS.other_places)
            && self.places(&LISTS.putting).any(|putting| putting == place)
    }
}
