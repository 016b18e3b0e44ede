//! Violence that is announced.

use super::lists::LISTS;
use super::sentence::{Place, Sentence};
use crate::moderation::rules::any;

impl Sentence {
    pub(super) fn threatens(&self) -> bool {
        self.has(&LISTS.denied_safety)
            || self.places(&LISTS.threats).any(|place| self.is_meant(place))
            || (self.has(&LISTS.children) && self.places(&LISTS.locking).any(|place| self.is_meant(place)))
            || self.places(&LISTS.beaten).any(|place| self.is_meant(place) && self.befalls_somebody(place))
            || self.places(&LISTS.beating).any(|place| self.is_meant(place) && self.meets_somebody(place))
    }

    /// Whether a passive has a person as its subject; drums are beaten too.
    fn befalls_somebody(&self, (at, _): Place) -> bool {
        any(&self.words[..at], &LISTS.persons)
    }

    /// Whether somebody announces to beat a person.
    fn meets_somebody(&self, (at, end): Place) -> bool {
        any(self.before(at, 2), &LISTS.announcing) && any(self.behind(end, 3), &LISTS.persons)
    }

    /// Whether it is meant as it is said: it is not denied close by, and no drum or team is beaten.
    /// A fee that is not paid denies nothing.
    fn is_meant(&self, (at, end): Place) -> bool {
        let next = self.behind(end, 1);
        let is_denied = any(self.before(at, 2), &LISTS.no_threat)
            || any(self.before(at, 1), &LISTS.no_threat_elsewhere)
            || any(next, &LISTS.no_threat)
            || any(next, &LISTS.no_threat_elsewhere)
            || any(&self.words[..at.min(1)], &LISTS.no_threat);
        !is_denied && !any(self.before(at, 3), &LISTS.beaten_things) && !self.has(&LISTS.games)
    }
}
