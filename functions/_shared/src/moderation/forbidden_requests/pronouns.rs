//! Resolves "it" to the item of an earlier sentence: "An OTP will come. Send it here."

use super::Readers;
use super::lists::LISTS;
use super::sentence::{Place, Sentence};
use crate::moderation::rules::any;

/// Number of sentences without an item after which an earlier item is forgotten.
const MEMORY: usize = 2;

/// Longest request without an object, such as "Send here at once", in words.
const SHORT: usize = 6;

/// The item that was named last, its sentence, and how many sentences ago that was.
struct Named<'a> {
    by: &'a Sentence,
    things: Vec<&'static str>,
    age: usize,
}

/// The sentences once more that speak of a secret or a number which one before them names, with
/// the thing in place of "it", so that they are judged as any other sentence.
pub(super) fn by_name(sentences: &[Sentence], readers: Readers) -> Vec<Sentence> {
    let mut named: Option<Named<'_>> = None;
    let mut found = Vec::new();
    for sentence in sentences {
        let things = sentence.things();
        if !things.is_empty() {
            named = Some(Named { by: sentence, things, age: 0 });
        } else if sentence.has(&LISTS.other_things) && !sentence.has(&["to this message"]) {
            named = None;
        } else if let Some(last) = &mut named {
            found.extend(last.things.iter().flat_map(|thing| sentence.naming(thing, last.by, readers)));
            last.age = if sentence.pronouns().next().is_some() { 0 } else { last.age + 1 };
            named = named.filter(|last| last.age < MEMORY);
        }
    }
    found
}

impl Sentence {
    /// A secret and a number that stand for all that it names.
    fn things(&self) -> Vec<&'static str> {
        let secret = (!self.secrets().is_empty()).then_some("the otp");
        let number = (!self.numbers().is_empty()).then_some("the aadhaar number");
        secret.into_iter().chain(number).collect()
    }

    /// The sentence with the thing in place of the first pronoun, and of the last.
    fn naming(&self, thing: &str, by: &Self, readers: Readers) -> Vec<Self> {
        let is_brought = by.has(&LISTS.by_hand) && !self.wants_it_written(readers);
        let is_passed_on = by.forbids() && self.has(&LISTS.other_readers);
        if is_brought || is_passed_on {
            return Vec::new();
        }
        let nowhere = !by.forbids() && self.lacks_an_object();
        let first = self.pronouns().min().or(nowhere.then_some((0, 0)));
        let last = self.pronouns().max().filter(|last| Some(*last) != first);
        let is_child = |at: usize| self.word(at) == "them" && by.has(&LISTS.children);
        let places = first.into_iter().chain(last).filter(|(at, _)| !is_child(*at));
        places.map(|(at, end)| self.with(at..end, thing)).collect()
    }

    /// The words that stand for what was named before.
    fn pronouns(&self) -> impl Iterator<Item = Place> {
        let is_person = |at: usize| {
            at > 0 && self.word(at) == "them" && LISTS.telling_somebody.contains(&self.word(at - 1))
        };
        let anywhere = self.places(&LISTS.standing_for).filter(move |(at, _)| !is_person(*at));
        let first = self.places(&LISTS.standing_first).filter(|(at, _)| *at == 0);
        let alone = self.places(&LISTS.standing_alone).filter(|(_, end)| {
            let next = self.behind(*end, 1);
            next.is_empty() || any(next, &LISTS.behind_an_object)
        });
        anywhere.chain(first).chain(alone)
    }

    /// "Send here": where to is said, and not what.
    fn lacks_an_object(&self) -> bool {
        self.words.len() <= SHORT && self.has(&LISTS.other_places)
    }
}
