//! The reach of a word that forbids: its verb, and the words that continue it.

use super::lists::LISTS;
use super::sentence::{Place, Sentence};
use crate::moderation::rules::any;

/// How far before a verb a word that denies it stands.
const REACH_BEFORE: usize = 3;

/// How far it reaches from where a clause begins, or behind "ever".
const STANDING_REACH: usize = 8;

impl Sentence {
    /// Whether a word of another language forbids what is asked: close by in the same clause, or
    /// as a ban that goes on.
    pub(super) fn is_forbidden_elsewhere(&self, place: Place) -> bool {
        self.is_denied(place) || self.goes_on_from_a_ban(place.0)
    }

    fn is_denied(&self, place: Place) -> bool {
        self.is_denied_before(place) || self.is_denied_behind(place)
    }

    /// "न भेजें": the word denies the verb that comes next, so that none may stand in between.
    fn is_denied_before(&self, (at, end): Place) -> bool {
        let begin = self.clause(at).start;
        let mut near = (begin..at).rev().take_while(|place| !LISTS.linking.contains(&self.word(*place)));
        let denies = |place: usize| {
            LISTS.before_verbs.contains(&self.word(place))
                && at - place <= self.reach_of(place, begin)
                && !self.belongs_to_what_is_before(place, begin)
                && !self.has_a_verb_of_its_own(place + 1, at)
        };
        near.any(denies) && !self.tells_not_to_forget(at, end)
    }

    fn reach_of(&self, place: usize, begin: usize) -> usize {
        let stands = place == begin || LISTS.standing_before.contains(&self.word(place - 1));
        if stands { STANDING_REACH } else { REACH_BEFORE }
    }

    /// "घबराएँ नहीं" and "है या नहीं": the word denies what stands before it.
    fn belongs_to_what_is_before(&self, place: usize, begin: usize) -> bool {
        let before = if place > begin { self.word(place - 1) } else { "" };
        LISTS.other_orders.contains(&before) || LISTS.or_not.contains(&before)
    }

    /// "देर न करें, ..." and "नहीं भरी": another verb is denied; "न करें या भेजें" denies both.
    fn has_a_verb_of_its_own(&self, begin: usize, at: usize) -> bool {
        let is_verb = |word: &str| LISTS.other_orders.contains(&word) || LISTS.other_states.contains(&word);
        let verb = (begin..at).find(|place| is_verb(self.word(*place)));
        verb.is_some_and(|verb| !any(&self.words[verb..at], &LISTS.or_words))
    }

    /// "पाठवू नका", "શેર કરો નહીં": the word stands at once behind what it denies, or behind verbs
    /// that "or" joins.
    fn is_denied_behind(&self, (at, end): Place) -> bool {
        let stop = self.clause(at).end;
        let mut place = end;
        while place < stop {
            let word = self.word(place);
            if LISTS.forbidding_elsewhere.contains(&word) {
                let is_otherwise = place == end && LISTS.then_elsewhere.contains(&self.word(place + 1));
                return !is_otherwise && !any(self.behind(place, 3), &LISTS.not_to_forget);
            }
            if LISTS.or_words.contains(&word) {
                place += 2;
            } else if LISTS.particles.contains(&word) {
                place += 1;
            } else {
                return false;
            }
        }
        false
    }

    fn tells_not_to_forget(&self, at: usize, end: usize) -> bool {
        any(self.before(at, STANDING_REACH), &LISTS.not_to_forget)
            || any(self.behind(end, 2), &LISTS.not_to_forget)
    }

    /// "Never share a code, forward it or post it": what is banned first is what goes on, until
    /// the reader is asked for something else or by somebody.
    pub(super) fn goes_on_from_a_ban(&self, at: usize) -> bool {
        let clause = self.clause(at);
        if self.is_listed_under_a_ban(at) || self.asks_for_a_report(at) {
            return true;
        }
        let Some(ban) = self.ban_before(at) else { return false };
        let turns = any(&self.words[ban.1..clause.end], &LISTS.turning);
        let is_joined = !clause.contains(&ban.0) || any(&self.words[ban.1..at], &LISTS.or_words);
        is_joined && !turns && (clause.contains(&ban.0) || !self.names_more(clause.start, clause.end))
    }

    /// "Never send it, and tell us at once": what happened is told, and not what is secret. Where
    /// the ban is on the same verb, "us" are those who may be told.
    fn asks_for_a_report(&self, at: usize) -> bool {
        let ban = self.ban_before(at).max(self.other_ban_before(at));
        let Some(ban) = ban.filter(|ban| ban.1 <= at) else { return false };
        let between = &self.words[ban.1..at];
        let (asked, banned) = (self.behind(at, 2), &self.words[ban.0..ban.1]);
        let tells = |verb: &&str| any(asked, &[verb]) && !any(banned, &[verb]);
        LISTS.reporting.iter().any(tells)
            && any(between, &LISTS.and_words)
            && any(between, &LISTS.urging)
            && !any(between, &LISTS.secrets)
            && !any(between, &LISTS.numbers)
            && !any(between, &LISTS.standing_for)
    }

    /// "Share na karein" and "सांगू नका": bans on verbs in a form that asks for nothing.
    fn other_ban_before(&self, at: usize) -> Option<Place> {
        let word = |place: usize| self.word(place);
        let is_parted = |place: usize| {
            LISTS.parted_verbs.contains(&word(place))
                && LISTS.forbidding_elsewhere.contains(&word(place + 1))
                && LISTS.other_orders.contains(&word(place + 2))
        };
        let bans = (0..at).rev().filter_map(|place| match place {
            _ if is_parted(place) => Some((place, place + 3)),
            _ if LISTS.behind_verbs.contains(&word(place + 1)) => Some((place, place + 2)),
            _ if self.has_a_forbidding_ending(place) => Some((place, place + 1)),
            _ => None,
        });
        bans.filter(|(_, end)| *end <= at).max()
    }

    fn has_a_forbidding_ending(&self, place: usize) -> bool {
        LISTS.forbidding_endings.iter().any(|ending| self.word(place).ends_with(ending))
    }

    /// "Never click on links, share a PIN or post it": "or" joins the verbs under the ban.
    fn is_listed_under_a_ban(&self, at: usize) -> bool {
        let clause = self.clause(at);
        let ban = (0..clause.start).find(|place| self.is_standing_ban(*place));
        let joins = |place: &usize| {
            LISTS.or_words.contains(&self.word(*place)) && self.begins(place + 1, &LISTS.asking)
        };
        ban.is_some_and(|ban| !any(&self.words[ban..clause.end], &LISTS.turning))
            && clause.clone().any(|place| joins(&place))
    }

    /// The last verb before a place that asks, and is forbidden to.
    fn ban_before(&self, at: usize) -> Option<Place> {
        let bans = self.bans.get_or_init(|| self.banned_verbs());
        bans.iter().rev().find(|(_, end)| *end <= at).copied()
    }

    fn banned_verbs(&self) -> Vec<Place> {
        let english = self.places(&LISTS.asking).filter(|place| self.is_banned(*place));
        let elsewhere = self.verbs_elsewhere().filter(|place| self.is_denied(*place));
        let mut bans: Vec<Place> = english.chain(elsewhere).collect();
        bans.sort_unstable();
        bans
    }

    /// "Never share", "do not ever forward".
    fn is_banned(&self, (at, _): Place) -> bool {
        (at.saturating_sub(2)..at).any(|place| self.is_standing_ban(place))
    }

    fn names_more(&self, begin: usize, end: usize) -> bool {
        let words = &self.words[begin..end];
        any(words, &LISTS.secrets) || any(words, &LISTS.numbers)
    }
}
