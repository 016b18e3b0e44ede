//! Finds what a group must not read about a child: an illness or a caste beside a name.

use super::lists::LISTS;
use super::sentence::{Place, Sentence};
use crate::moderation::rules::any;

/// How far a verb may stand behind a name ("Ravi Kumar of Class 6 is"), and an illness behind it.
const REACH: usize = 4;

/// A sentence, and the same with its capital letters.
pub(super) struct SentencePair<'a> {
    pub(super) read: &'a Sentence,
    pub(super) written: &'a Sentence,
}

/// Returns whether these sentences, read by a whole group, reveal the illness or the caste of a
/// child.
pub(super) fn expose_a_child(told: &[SentencePair<'_>]) -> bool {
    let castes: usize = told.iter().map(SentencePair::castes_of_names).sum();
    let is_list = castes > 0 && told.iter().any(|one| one.read.has(&LISTS.lists_of_names));
    let tells =
        |one: &SentencePair<'_>| one.tells_an_illness() || one.tells_a_caste() || one.asks_whose_caste();
    let is_followed =
        |pair: &[SentencePair<'_>]| pair[0].asks_who_it_is() && pair[1].read.is_answered_in_sight();
    castes > 1
        || is_list
        || told.iter().any(|one| tells(one) || one.asks_in_sight())
        || told.windows(2).any(is_followed)
}

impl SentencePair<'_> {
    fn tells_an_illness(&self) -> bool {
        let befell = || self.read.has(&LISTS.being) && self.read.befalls_somebody_ill(&LISTS.illnesses);
        let is_told = |place: &Place| !self.read.is_told_in_general(*place);
        self.read
            .places(&LISTS.illnesses)
            .filter(is_told)
            .any(|place| self.is_of_a_name(place) || self.is_positive(place) || befell())
    }

    /// "SC parents, please write your name here", "write here which disease your child has".
    fn asks_in_sight(&self) -> bool {
        let is_meant =
            || self.asks_who_it_is() || self.read.places(&LISTS.castes).any(|place| self.is_class(place));
        self.read.asks_for_an_illness_in_sight() || (self.read.asks_for_names_in_sight() && is_meant())
    }

    /// "Is anyone in class HIV positive", "which students are SC".
    fn asks_who_it_is(&self) -> bool {
        let mut ill =
            self.read.places(&LISTS.illnesses).filter(|place| !self.read.is_told_in_general(*place));
        self.read.has(&LISTS.asking_who)
            && (ill.next().is_some() || self.read.places(&LISTS.castes).any(|place| self.is_class(place)))
    }

    /// "Caste of Ravi Kumar?", "रवि कुमार की जाति?".
    fn asks_whose_caste(&self) -> bool {
        let length = self.read.words.len();
        let is_last = |(at, end): Place| {
            end == length
                && at > 1
                && LISTS.of_a_caste.contains(&self.read.word(at - 1))
                && self.read.has_a_subject_before(at - 1)
                && !["धर्म", "ધર્મ"].contains(&self.read.word(at))
        };
        let opens = |(at, end): Place| {
            at == 0
                && self.read.word(at).starts_with("caste")
                && self.read.word(end) == "of"
                && self.is_name(end + 1)
        };
        let is_his = |place: Place| is_last(place) || opens(place);
        length <= REACH + 1 && self.read.places(&LISTS.caste).any(is_his)
    }

    /// "Ravi Kumar of Class 6 is suffering from TB", "Rohan's epilepsy".
    fn is_of_a_name(&self, (at, end): Place) -> bool {
        let near = self.read.before(at, REACH);
        let has_it = end == self.read.clause(at).end && any(self.read.before(at, 2), &LISTS.having);
        let is_state = any(self.read.behind(end, 1), &LISTS.of_the_ill) || has_it;
        let befell = any(near, &LISTS.falling_ill) || (is_state && !any(near, &LISTS.no_state));
        let verb =
            (at.saturating_sub(REACH)..at).find(|place| LISTS.of_a_state.contains(&self.read.word(*place)));
        let verb = verb.unwrap_or(at);
        let is_named = |place: usize| self.is_name(place) || (verb < at && self.is_a_name_in_capitals(place));
        let is_owned = at > 1 && self.read.word(at - 1) == "s" && self.is_name(at - 2);
        (is_owned && is_specific(self.read.word(at)))
            || (befell && (verb.saturating_sub(REACH + 1)..verb).any(is_named))
    }

    /// "रवी कुमार एचआयव्ही पॉझिटिव्ह आहे": scripts without capital letters.
    fn is_positive(&self, (at, end): Place) -> bool {
        any(self.read.behind(end, 1), &LISTS.of_the_ill)
            && self.read.has(&LISTS.being)
            && self.read.has_a_subject_before(at)
    }

    fn tells_a_caste(&self) -> bool {
        let is_told = |place: Place| self.is_of_a_child(place) || self.is_said_of_somebody(place);
        let mut castes = self.read.places(&LISTS.castes).filter(|place| self.is_class(*place));
        !self.read.has(&LISTS.for_a_caste) && castes.any(is_told)
    }

    /// "Meena is an OBC student".
    fn is_of_a_child(&self, (at, _): Place) -> bool {
        any(self.read.before(at, REACH), &LISTS.belonging)
            && (at.saturating_sub(REACH + 3)..at).any(|place| self.is_name(place))
    }

    /// "मीना अनुसूचित जातीची आहे", and little behind it.
    fn is_said_of_somebody(&self, (at, end): Place) -> bool {
        let ends_so = |ending: &&str| self.read.word(end - 1).ends_with(*ending);
        let is_owned =
            LISTS.of_a_caste.iter().any(ends_so) || LISTS.of_a_caste.contains(&self.read.word(end));
        is_owned
            && self.read.has(&LISTS.being)
            && self.read.behind(end, 3).len() < 3
            && self.read.has_a_subject_before(at)
    }

    /// How often a name stands right before a caste that ends its clause: "Sita - SC, Ravi (OBC)".
    fn castes_of_names(&self) -> usize {
        let follows_another = |at: usize| self.read.places(&LISTS.castes).any(|(_, end)| end == at);
        let is_named = |at: usize| match self.read.word(at).is_ascii() {
            true => at > 0 && self.is_name(at - 1),
            false => self.read.has_a_subject_before(at),
        };
        let is_beside = |(at, end): &Place| {
            self.read.clause(*at).end == *end
                && self.is_class((*at, *end))
                && is_named(*at)
                && !follows_another(*at)
        };
        self.read.places(&LISTS.castes).filter(is_beside).count()
    }

    /// Letters that stand for a caste are capitals.
    fn is_class(&self, (at, _): Place) -> bool {
        let word = self.written.word(at);
        word.len() > 3 || !word.bytes().any(|byte| byte.is_ascii_lowercase())
    }

    /// Whether a word in Latin letters is written as a name is, and is none that often is.
    fn is_name(&self, at: usize) -> bool {
        let word = self.written.word(at);
        let is_doctor = any(self.written.before(at.min(self.written.words.len()), 2), &["Dr", "Doctor"]);
        word.len() > 2
            && word.is_ascii()
            && word.starts_with(|c: char| c.is_ascii_uppercase())
            && word.chars().any(|c| c.is_ascii_lowercase())
            && !is_doctor
            && !LISTS.no_names.contains(&word)
            && !LISTS.pronouns.contains(&word)
            && !any(&[self.read.word(at).to_owned()], &LISTS.for_a_caste)
    }

    /// The same in a sentence of nothing but capitals.
    fn is_a_name_in_capitals(&self, at: usize) -> bool {
        let mut others = LISTS.no_names.iter().chain(&LISTS.pronouns);
        let word = self.written.word(at);
        let is_loud = |word: &String| !word.bytes().any(|byte| byte.is_ascii_lowercase());
        word.len() > 3
            && word.is_ascii()
            && self.written.words.iter().all(is_loud)
            && word.bytes().all(|byte| byte.is_ascii_uppercase())
            && !others.any(|other| other.eq_ignore_ascii_case(word))
    }
}

impl Sentence {
    /// Whether an illness is a subject of a talk or of help, and nobody's.
    fn is_told_in_general(&self, (_, end): Place) -> bool {
        any(self.behind(end, 1), &LISTS.subject)
    }

    /// Whether somebody may be meant by the word before a place.
    fn has_a_subject_before(&self, at: usize) -> bool {
        let word = self.before(at, 1);
        !word.is_empty()
            && !any(word, &LISTS.general_nouns)
            && !any(word, &LISTS.lists_of_names)
            && !any(&self.words[..at], &LISTS.for_a_caste)
    }
}

/// "Alzheimer's disease" is nobody's.
fn is_specific(illness: &str) -> bool {
    !["disease", "illness"].contains(&illness)
}
