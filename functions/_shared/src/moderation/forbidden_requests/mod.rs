//! Finds requests that no message may make (SPECIFICATION.md GEN-8): secrets of any kind, numbers
//! of identity and bank in a reply, caste in a group, the health of a named child. Also threats.
//!
//! A sentence is refused for what it asks, not for what it mentions. It takes a word that asks,
//! close to what is asked for, and no word that forbids it. What is brought to the office on paper
//! is no message. The lists hold the languages that messages are written in, Hindi in Latin
//! letters, and Tamil, which is printed as it was typed.
//!
//! A text goes this way:
//! 1. `crate::moderation::confusables`, `leetspeak` and `spelt_out_words` give it the letters that
//!    its readers see.
//! 2. `sentence` parts it into sentences of words, and knows their clauses.
//! 3. `pronouns` puts what a sentence before names in place of "it", and adds that sentence.
//! 4. `asking` finds the words that ask (other languages' in `verbs`, demands without a verb in
//!    `implied_requests`), leaves out those that `negation` finds forbidden, and looks for secrets
//!    and numbers in their reach. `names` tells whether one child is meant, `private_facts` what a
//!    group would read about a child; `threats` stand alone.
//!
//! Every word that is looked for stands in `data/asked-for-words.json`; `lists` says what each
//! list is for. `data/asked-for.json` has the sentences that must be refused and must pass: a hole
//! or a false alarm goes there first.

mod asking;
mod implied_requests;
mod leetspeak;
mod lists;
mod names;
mod negation;
mod private_facts;
mod pronouns;
mod sentence;
mod spelt_out_words;
mod threats;
mod verbs;

use private_facts::SentencePair;
use sentence::Sentence;

use crate::moderation::confusables::folded;
use crate::moderation::forbidden_requests::lists::LISTS;

/// The readers of the answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// A group, in which everybody reads what one writes.
    Group,
    /// The recipients of a letter.
    Letter,
}

/// Returns whether these texts, as one message, ask for something that no message may ask for, or
/// threaten.
pub fn is_improper(texts: &[&str], readers: Readers) -> bool {
    let texts: Vec<String> = texts.iter().map(|text| leetspeak::undisguised(&folded(text))).collect();
    let sentences: Vec<Sentence> = texts.iter().flat_map(|text| Sentence::all_of(text)).collect();
    let asks = |sentence: &Sentence| {
        sentence.asks_for_secrets() || sentence.asks_for_numbers(readers) || sentence.threatens()
    };
    let by_name = pronouns::by_name(&sentences, readers);
    sentences.iter().chain(&by_name).any(asks)
        || announces_a_list(&sentences, readers)
        || (readers == Readers::Group && exposes_a_child(&texts, &sentences))
}

/// Returns whether a text names an illness.
pub fn names_an_illness(text: &str) -> bool {
    Sentence::all_of(&folded(text)).iter().any(|sentence| sentence.has(&LISTS.illnesses))
}

/// Returns whether a whole group would read about caste, or about the health of one child.
fn exposes_a_child(texts: &[String], sentences: &[Sentence]) -> bool {
    let written: Vec<Sentence> = texts.iter().flat_map(|text| Sentence::as_written(text)).collect();
    let told = sentences.iter().zip(&written).map(|(read, written)| SentencePair { read, written });
    if private_facts::expose_a_child(&told.collect::<Vec<_>>()) {
        return true;
    }
    let is_named = texts.iter().any(|text| names::names_a_child(text));
    let is_ill = sentences.iter().any(|sentence| sentence.has(&LISTS.illnesses));
    sentences.iter().any(|sentence| {
        let one_child = is_named || sentence.has(&LISTS.one_child) || sentence.tells_who_is_ill();
        sentence.asks_for_caste() || (one_child && sentence.asks_for_health(is_ill))
    })
}

/// How many lines of a list are looked at.
const LONGEST_LIST: usize = 12;

/// Returns whether a sentence asks for a list, and a later one names secrets or numbers.
fn announces_a_list(sentences: &[Sentence], readers: Readers) -> bool {
    let wants = |by: &Sentence, line: &Sentence| {
        let numbers =
            || by.wants_it_written(readers) && !line.has(&LISTS.by_hand) && !line.numbers().is_empty();
        !line.forbids() && (!line.secrets().is_empty() || numbers())
    };
    let first = sentences.iter().position(Sentence::announces);
    let names_it = first.is_some_and(|at| sentences[at + 1..].iter().any(|line| wants(&sentences[at], line)));
    let has_lines = |(at, by): (usize, &Sentence)| {
        let lines = || sentences[at + 1..].iter().take(LONGEST_LIST).take_while(|line| line.is_item());
        (by.announces_lines() && lines().any(|line| wants(by, line)))
            || (by.wants_an_answer() && lines().any(|line| line.is_open && wants(by, line)))
    };
    names_it || sentences.iter().enumerate().any(has_lines)
}

#[cfg(test)]
mod tests;
