use banyan_bank::packs::Pack;
use banyan_bank::parts::Term;

use super::Supply;
use crate::content::Topic;

impl<'a> Supply<'a> {
    /// An unused term.
    pub(in crate::bank) fn term(&mut self) -> Option<&'a Term> {
        self.terms(1, |_| true)?.pop()
    }

    /// Unused terms that can be asked for by what they mean, with that.
    pub(in crate::bank) fn described_terms(&mut self, count: usize) -> Option<Vec<(&'a Term, String)>> {
        let terms = self.terms(count, |term| term.description().is_some())?;
        terms.into_iter().map(|term| Some((term, term.description()?))).collect()
    }

    /// The sub-topic whose facts name a term most often; the whole chapter where none does.
    pub(in crate::bank) fn topic_of(&self, term: &Term) -> Topic {
        let at = self.pack.and_then(|pack| pack.terms.iter().position(|other| other.term == term.term));
        at.map_or(Topic::Whole, |at| self.found.topics[at])
    }

    /// Several unused terms that are fit.
    fn terms(&mut self, count: usize, fit: impl Fn(&Term) -> bool) -> Option<Vec<&'a Term>> {
        let pack = self.pack?;
        let unused = |at: &usize| !self.state.terms[*at] && fit(&pack.terms[*at]);
        let mut places: Vec<usize> = (0..pack.terms.len()).filter(unused).collect();
        self.dice.shuffle(&mut places);
        places.truncate(count);
        if places.len() < count {
            return None;
        }
        for at in &places {
            self.state.terms[*at] = true;
        }
        Some(places.into_iter().map(|at| &pack.terms[at]).collect())
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
