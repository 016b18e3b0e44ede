use std::rc::Rc;

use banyan_bank::packs::Pack;
use banyan_bank::parts::Term;

use super::Supply;
use super::answer_keys::Place;
use crate::content::Topic;

/// The most letters by which the one and the many differ.
const ENDING: usize = 2;

impl<'a> Supply<'a> {
    /// An unused term.
    pub(in crate::bank) fn term(&mut self) -> Option<&'a Term> {
        let at = self.terms(1, |_| true)?.pop()?;
        Rc::make_mut(&mut self.state.answer_keys).add_term(at);
        self.pack?.terms.get(at)
    }

    /// Unused terms that can be asked for by what they mean, with that.
    pub(in crate::bank) fn described_terms(&mut self, count: usize) -> Option<Vec<(&'a Term, String)>> {
        let pack = self.pack?;
        let places = self.terms(count, |term| term.description().is_some())?;
        places.iter().for_each(|at| self.state.described[*at] = true);
        places.into_iter().map(|at| Some((&pack.terms[at], pack.terms[at].description()?))).collect()
    }

    /// The places of the terms of a sub-topic that its title does not name.
    pub(super) fn terms_of(&self, pack: &'a Pack, subtopic: usize) -> impl Iterator<Item = usize> {
        let title = &pack.subtopics[subtopic].title;
        (0..pack.terms.len()).filter(move |at| {
            self.found.topics[*at] == Topic::Subtopic(subtopic) && !names(title, &pack.terms[*at])
        })
    }

    /// The sub-topic whose facts name a term most often; the whole chapter where none does.
    pub(in crate::bank) fn topic_of(&self, term: &Term) -> Topic {
        let at = self.pack.and_then(|pack| pack.terms.iter().position(|other| other.term == term.term));
        at.map_or(Topic::Whole, |at| self.found.topics[at])
    }

    /// Places of several suitable unused terms, none of which reveals or is a kind of another.
    /// Terms that pupils know from earlier questions come last, if they may come at all.
    fn terms(&mut self, count: usize, fit: impl Fn(&Term) -> bool) -> Option<Vec<usize>> {
        let pack = self.pack?;
        let unused =
            |at: &usize| !self.state.terms[*at] && self.is_open(Place::Term(*at)) && fit(&pack.terms[*at]);
        let mut all: Vec<usize> = (0..pack.terms.len()).filter(unused).collect();
        self.rng.shuffle(&mut all);
        all.sort_by_key(|at| self.is_known(Place::Term(*at)));
        let mut places: Vec<usize> = Vec::new();
        for at in all {
            let is_like = |other: &usize| {
                self.reveals(Place::Term(*other), Place::Term(at))
                    || pack.are_of_a_kind(&pack.terms[*other], &pack.terms[at])
            };
            if places.len() < count && !places.iter().any(is_like) {
                places.push(at);
            }
        }
        if places.len() < count {
            return None;
        }
        for at in &places {
            self.state.terms[*at] = true;
        }
        Some(places)
    }
}

/// The sub-topic of each term: the one whose facts name it most often.
pub(super) fn topics(pack: &Pack) -> Vec<Topic> {
    let said = pack.facts.iter().map(|fact| format!("{} {}", fact.right, fact.q).to_lowercase());
    let facts: Vec<(usize, String)> = pack.facts.iter().map(|fact| fact.subtopic).zip(said).collect();
    let topic = |term: &Term| {
        let name = term.term.split('(').next().unwrap_or_default().trim().to_lowercase();
        let named = |at: usize| facts.iter().filter(|(of, said)| *of == at && said.contains(&name)).count();
        let best = (1..=pack.subtopics.len()).rev().max_by_key(|subtopic| named(*subtopic));
        match best {
            Some(subtopic) if named(subtopic) > 0 => Topic::Subtopic(subtopic - 1),
            _ => Topic::Whole,
        }
    };
    pack.terms.iter().map(topic).collect()
}

/// Whether a title names a term, or the term the title, be it one or many.
fn names(title: &str, term: &Term) -> bool {
    let name = term.term.split(" (").next().unwrap_or_default();
    let (title, name) = (title.to_lowercase(), name.to_lowercase());
    let all_said =
        |one: &str, other: &str| words(one).all(|word| words(other).any(|said| differ_in_ending(word, said)));
    all_said(&name, &title) || all_said(&title, &name)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || "(),-".contains(c)).filter(|word| !word.is_empty())
}

/// Returns whether two words differ only by an ending, such as singular and plural.
fn differ_in_ending(one: &str, other: &str) -> bool {
    let count = |word: &str| word.chars().count();
    (one.starts_with(other) || other.starts_with(one)) && count(one).abs_diff(count(other)) <= ENDING
}
