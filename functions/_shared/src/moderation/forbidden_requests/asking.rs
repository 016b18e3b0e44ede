//! Finds the requests of a sentence.

use std::ops::Range;

use super::Readers;
use super::lists::LISTS;
use super::sentence::{Place, Sentence};
use crate::moderation::rules::any;

/// How far what is asked for may stand from the word that asks.
const REACH: usize = 14;

/// How far a word that forbids may stand from an English word that asks.
const FORBIDDING_REACH: usize = 4;

/// A line of more words is no line of a list.
const LONGEST_ITEM: usize = 10;

/// On which side of the word that asks its object stands.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Both,
    Ahead,
    Behind,
    /// The word follows its object at once.
    RightBehind,
}

struct Asking {
    at: usize,
    end: usize,
    side: Side,
}

impl Asking {
    fn new((at, end): Place, side: Side) -> Self {
        Self { at, end, side }
    }
}

impl Sentence {
    pub(super) fn asks_for_secrets(&self) -> bool {
        let mut askings = self.askings();
        let entering = self.places(&LISTS.entering).filter(|place| self.asks_the_reader(*place));
        askings.extend(entering.map(|place| Asking::new(place, Side::Both)));
        askings.retain(|asking| !self.is_typed_in_place((asking.at, asking.end)));
        let secrets = self.secrets();
        self.is_bare_demand(&secrets) || self.asks_for(&askings, secrets, &LISTS.news)
    }

    /// A number in a reply is read by whoever has the telephone; on paper it goes to the office.
    pub(super) fn asks_for_numbers(&self, readers: Readers) -> bool {
        let mut askings = self.askings();
        askings.retain(|asking| !self.is_typed_in_place((asking.at, asking.end)));
        self.asks_for(&askings, self.numbers(), &LISTS.news) && self.wants_it_written(readers)
    }

    /// The secrets that it names.
    pub(super) fn secrets(&self) -> Vec<Place> {
        let is_harmless = |place| self.is_no_secret(place) || self.is_card_paid_with(place);
        let secrets = self.items(&LISTS.secrets).chain(self.codes_that_came());
        secrets.filter(|place| !is_harmless(*place)).collect()
    }

    /// The numbers of the readers that it names.
    pub(super) fn numbers(&self) -> Vec<Place> {
        let numbers = self.items(&LISTS.numbers);
        numbers.filter(|place| !self.is_paid_into(*place) && !self.is_given(*place)).collect()
    }

    pub(super) fn asks_for_caste(&self) -> bool {
        let is_question = self.has(&LISTS.caste_questions) && self.has(&LISTS.addressed);
        is_question || self.asks_the_group_for(&LISTS.caste)
    }

    /// Whether a group is asked about the health of a child; papers count if an illness is named.
    pub(super) fn asks_for_health(&self, is_ill: bool) -> bool {
        self.asks_the_group_for(&LISTS.health) || (is_ill && self.asks_the_group_for(&LISTS.papers))
    }

    /// "Which students are SC? Reply here": whether the answer would be seen by a group.
    pub(super) fn is_answered_in_sight(&self) -> bool {
        let is_seen = self.has(&LISTS.answering) || self.has(&LISTS.in_sight);
        is_seen && !self.has(&LISTS.by_hand) && !self.forbids() && !self.askings().is_empty()
    }

    /// "Write your name and category here".
    pub(super) fn asks_for_names_in_sight(&self) -> bool {
        self.is_answered_in_sight()
            && self.asks_for(&self.askings(), self.items(&LISTS.named_in_a_list).collect(), &[])
    }

    /// "Write here which disease your child has".
    pub(super) fn asks_for_an_illness_in_sight(&self) -> bool {
        self.is_answered_in_sight()
            && self.asks_for(&self.askings(), self.items(&LISTS.illness_of_yours).collect(), &[])
    }

    fn asks_the_group_for(&self, items: &'static [&'static str]) -> bool {
        let items = self.items(items).filter(|place| !self.is_no_secret(*place));
        self.asks_for(&self.askings(), items.collect(), &[]) && self.wants_it_written(Readers::Group)
    }

    pub(super) fn wants_it_written(&self, readers: Readers) -> bool {
        self.has(&LISTS.answering) || (readers == Readers::Group && !self.has(&LISTS.by_hand))
    }

    /// Returns whether it asks for the item that the text behind it names, and says so.
    pub(super) fn announces(&self) -> bool {
        self.has(&LISTS.list) && !self.askings().is_empty()
    }

    /// Returns whether it asks for the items of the next lines: it ends with a colon, or with a
    /// word that asks.
    pub(super) fn announces_lines(&self) -> bool {
        let announces = |asking: &Asking| self.is_open || self.ends_with(asking);
        !self.forbids() && !self.has(&LISTS.about) && self.askings().iter().any(announces)
    }

    /// Whether the lines of a form behind it are to be answered.
    pub(super) fn wants_an_answer(&self) -> bool {
        let speaks_of_it = self.has(&LISTS.answering) && !self.has(&LISTS.other_things);
        speaks_of_it && !self.forbids() && !self.askings().is_empty()
    }

    /// "Please send", and no word of what. Where the object stands first there must be none.
    fn ends_with(&self, asking: &Asking) -> bool {
        let is_bare = |word: &[String]| {
            any(word, &LISTS.urging) || any(word, &LISTS.bare) || any(word, &LISTS.other_places)
        };
        let has_no_object = || {
            (self.word(asking.at).is_ascii() && !self.has(&LISTS.other_things))
                || self.words[..asking.at].chunks(1).all(is_bare)
        };
        asking.end == self.words.len() && [Side::Both, Side::Ahead].contains(&asking.side) && has_no_object()
    }

    /// Whether it is a line of a list.
    pub(super) fn is_item(&self) -> bool {
        self.words.len() <= LONGEST_ITEM
    }

    /// Whether it forbids anything.
    pub(super) fn forbids(&self) -> bool {
        self.has(&LISTS.forbidding)
            || (self.has(&LISTS.forbidding_elsewhere) && !self.has(&LISTS.not_to_forget))
    }

    /// Positions where the sentence asks its readers for something.
    fn askings(&self) -> Vec<Asking> {
        let english = |list, side| {
            let places = self.places(list).filter(|place| self.asks_the_reader(*place));
            places.map(move |place| Asking::new(place, side))
        };
        let elsewhere = self.verbs_elsewhere();
        let elsewhere = elsewhere.filter(|place| !self.is_forbidden_elsewhere(*place));
        let wanting = self.places(&LISTS.wanting).filter(|_| self.has(&LISTS.yours_or_ours));
        english(&LISTS.asking, Side::Both)
            .chain(english(&LISTS.asking_ahead, Side::Ahead))
            .chain(elsewhere.map(|place| Asking::new(place, Side::Both)))
            .chain(wanting.map(|place| Asking::new(place, Side::RightBehind)))
            .chain(self.passives().map(|place| Asking::new(place, Side::Behind)))
            .collect()
    }

    /// "Should be sent", "needs to be posted": the reader is asked, and not named.
    fn passives(&self) -> impl Iterator<Item = Place> {
        self.places(&LISTS.passives).filter(|(at, end)| {
            let before = |back: usize| at.checked_sub(back).map_or("", |place| self.word(place));
            let is_bidden = LISTS.bidding.contains(&before(1))
                || (before(1) == "to" && (LISTS.bidding_to.contains(&before(2)) || self.has(&LISTS.urging)))
                || (before(1) == "to" && self.is_named_right_before(at - 1));
            let clause = self.clause(*at);
            let denied = any(&self.words[clause.start..*at], &LISTS.forbidding)
                || any(self.behind(*end, 4), &LISTS.forbidding);
            is_bidden && !denied
        })
    }

    /// "OTP to be given": what is to be handed over stands right before.
    fn is_named_right_before(&self, at: usize) -> bool {
        self.secrets().into_iter().chain(self.numbers()).any(|(_, end)| end == at)
    }

    /// Whether an English word asks the reader, and asks to do it.
    fn asks_the_reader(&self, (at, end): Place) -> bool {
        let asks_nothing = |(begin, stop): Place| begin <= at && end <= stop;
        if self.is_forbidden_elsewhere((at, end)) || self.places(&LISTS.no_asking).any(asks_nothing) {
            return false;
        }
        for place in (at.saturating_sub(FORBIDDING_REACH)..at).rev() {
            let word = self.word(place);
            if LISTS.asked_all_the_same.contains(&word) {
                break;
            }
            if LISTS.modals.contains(&word) && self.clause(at).contains(&place) {
                return self.lets_the_reader(place);
            }
            if place > 0 && self.is_ban(place - 1) && self.bans_no_harm(place - 1, at) {
                break;
            }
            if self.forbids_at(place, at) || self.speaks_of_others(place, at) {
                return false;
            }
        }
        !any(self.behind(end, 4), &["nobody", "none", "no one", "no body"])
            && !any(self.behind(end, 1), &LISTS.forbidding_elsewhere)
    }

    /// Returns whether "can" or "will" has the reader as its subject, as in "you can" and "all
    /// parents will".
    fn lets_the_reader(&self, modal: usize) -> bool {
        let clause = self.clause(modal);
        let subject = modal.checked_sub(1).filter(|at| clause.contains(at)).map_or("", |at| self.word(at));
        if LISTS.not_the_reader.contains(&subject) {
            return false;
        }
        let opening = &self.words[clause.start..modal.min(clause.start + 3)];
        LISTS.others_of_the_school.iter().all(|other| *other != subject)
            && (any(opening, &LISTS.readers) || self.word(modal + 1) == "you")
    }

    fn is_ban(&self, place: usize) -> bool {
        LISTS.forbidding.contains(&self.word(place))
    }

    /// Whether the word at `place` forbids what the word at `at` asks.
    fn forbids_at(&self, place: usize, at: usize) -> bool {
        if !self.is_ban(place)
            || self.tells_a_state(place, at)
            || self.asks_why_not(place)
            || self.bans_no_harm(place, at)
        {
            return false;
        }
        let clause = self.clause(place);
        clause.contains(&at) || (place + 1 == clause.end && self.is_standing_ban(place))
    }

    /// "The fee is not paid" forbids nothing behind it; "it is not safe to" does.
    fn tells_a_state(&self, place: usize, at: usize) -> bool {
        let is_state = place > 0 && LISTS.of_a_state.contains(&self.word(place - 1));
        let between = &self.words[place..at];
        is_state && between.len() > 1 && !any(between, &["to"])
    }

    /// "Never be late or send it here": the ban ends with its own verb.
    fn bans_no_harm(&self, place: usize, at: usize) -> bool {
        let is_joined = at > place + 1 && LISTS.or_words.contains(&self.word(at - 1));
        let is_harmless = LISTS.no_harm_to_do.contains(&self.word(place + 1));
        is_joined && is_harmless && any(&self.words[at..self.clause(at).end], &LISTS.turning)
    }

    /// "Why not send it?" asks for it.
    fn asks_why_not(&self, place: usize) -> bool {
        place > 0 && self.word(place - 1) == "why" && self.word(place + 1) != "to"
    }

    /// "Never" and "do not" reach beyond a comma.
    pub(super) fn is_standing_ban(&self, place: usize) -> bool {
        match self.word(place) {
            "not" => place > 0 && LISTS.before_a_ban.contains(&self.word(place - 1)),
            word => ["never", "don", "dont", "cannot", "nor"].contains(&word),
        }
    }

    /// Whether somebody else is the subject; "we ask you to" is said to the reader.
    fn speaks_of_others(&self, place: usize, at: usize) -> bool {
        let is_we = ["we", "i"].contains(&self.word(place));
        if LISTS.quoting.contains(&self.word(place)) && self.has(&LISTS.warning) {
            return true;
        }
        LISTS.not_the_reader.contains(&self.word(place))
            && !self.bids_the_reader_who(place, at)
            && self.clause(at).contains(&place)
            && !(is_we && LISTS.requesting.contains(&self.word(place + 1)))
    }

    /// "Parents who received it must share it": the reader is still the subject.
    fn bids_the_reader_who(&self, place: usize, at: usize) -> bool {
        self.word(place) == "who"
            && any(self.before(place, 1), &LISTS.readers)
            && any(&self.words[place..at], &LISTS.bidding)
    }

    /// Positions where these are named as things, and not as subjects of a talk.
    fn items(&self, entries: &'static [&'static str]) -> impl Iterator<Item = Place> {
        self.places(entries).filter(|place| !self.is_subject(*place))
    }

    /// Whether it is a card that something is paid with, as in "by debit card".
    fn is_card_paid_with(&self, (at, end): Place) -> bool {
        let before = at.checked_sub(1).map_or("", |place| self.word(place));
        LISTS.cards.iter().any(|card| self.word(end - 1).starts_with(card))
            && (LISTS.means_before.contains(&before) || LISTS.means_behind.contains(&self.word(end)))
    }

    /// Whether something is said of it, as of the safety of passwords.
    fn is_subject(&self, (_, end): Place) -> bool {
        any(self.behind(end, 1), &LISTS.subject)
    }

    /// Whether it is part of another thing, as the PIN of an address.
    fn is_no_secret(&self, (at, end): Place) -> bool {
        self.places(&LISTS.no_secret).any(|(begin, stop)| begin <= at && end <= stop)
    }

    /// Returns whether the number itself follows, so that the sentence states it and does not ask
    /// for it. A number that looks like a telephone is where an answer would go.
    fn is_given(&self, (_, end): Place) -> bool {
        let behind = &self.words[end..];
        let number = behind.iter().take(4).find(|word| !LISTS.of_a_number.contains(&word.as_str()));
        number.is_some_and(|number| {
            let has_digits = number.len() > 4 && number.chars().any(char::is_numeric);
            let is_phone = number.len() == 10
                && number.starts_with(['6', '7', '8', '9'])
                && number.bytes().all(|byte| byte.is_ascii_digit());
            has_digits && !is_phone
        })
    }

    /// Whether an account is where a fee goes.
    fn is_paid_into(&self, (at, end): Place) -> bool {
        let last = self.word(end - 1);
        let inflected = !last.is_ascii() && LISTS.into_it.iter().any(|ending| last.ends_with(ending));
        let mut before = self.words[..at].iter().rev().map(String::as_str);
        let first = before.find(|word| !LISTS.of_the_account.contains(word) || LISTS.paid_to.contains(word));
        LISTS.into.contains(&self.word(end))
            || inflected
            || first.is_some_and(|word| {
                LISTS.paid_to.contains(&word) && (word != "to" || self.has(&LISTS.paying))
            })
    }

    /// Words between a word that asks and an item on its side.
    fn between(&self, asking: &Asking, item: Place) -> Option<Range<usize>> {
        let is_ahead = asking.end <= item.0;
        let between = if is_ahead { asking.end..item.0 } else { item.1.min(asking.at)..asking.at };
        let is_on_its_side = match asking.side {
            Side::Both if is_ahead => {
                !LISTS.complementizers.contains(&self.word(asking.end)) && !self.passes_on(asking.end, item.0)
            }
            Side::Both => !self.has_own_object(asking.end),
            Side::Ahead => is_ahead,
            Side::Behind => !is_ahead,
            Side::RightBehind => !is_ahead && between.is_empty(),
        };
        is_on_its_side.then_some(between)
    }

    /// "Share this message: ...": the message is passed on, and what it says forbids.
    fn passes_on(&self, end: usize, item: usize) -> bool {
        let clause = self.clause(item);
        clause.start > end && self.begins(end, &LISTS.messages) && any(&self.words[clause], &LISTS.forbidding)
    }

    /// Whether these words are few, forbid nothing, and do not make the item a subject.
    fn is_free(&self, between: Range<usize>) -> bool {
        let words = &self.words[between];
        let forbids = |word: &String| LISTS.forbidding_endings.iter().any(|ending| word.ends_with(ending));
        words.len() <= REACH
            && !any(words, &LISTS.forbidding)
            && !any(words, &LISTS.about)
            && !words.iter().any(forbids)
    }

    /// Returns whether another object follows ("send a notebook"), so that no earlier item is
    /// meant.
    fn has_own_object(&self, end: usize) -> bool {
        self.begins(end, &LISTS.own_object) && !any(self.behind(end, 3), &LISTS.named_before)
    }

    /// Returns whether one of these is asked for. `news` in between says that the sentence only
    /// reports about it.
    fn asks_for(&self, askings: &[Asking], items: Vec<Place>, news: &[&str]) -> bool {
        askings.iter().any(|asking| {
            items.iter().any(|item| {
                self.between(asking, *item)
                    .is_some_and(|between| self.is_free(between.clone()) && !any(&self.words[between], news))
            })
        })
    }
}
