use std::collections::BTreeSet;

use banyan_bank::packs::{Fact, Overlap, Pack};
use banyan_bank::parts::{Misconception, Term};

/// What a question asks for, by its number in the pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// A fact, in whatever form.
    Fact(usize),
    /// A term, its meaning, an example of it.
    Term(usize),
    /// A common error.
    Error(usize),
}

impl Part {
    /// A fact of a pack.
    pub(super) fn fact(pack: &Pack, fact: &Fact) -> Self {
        Self::Fact(number(&pack.facts, fact))
    }

    /// A term of a pack.
    pub(super) fn term(pack: &Pack, term: &Term) -> Self {
        Self::Term(number(&pack.terms, term))
    }

    /// A common error of a pack.
    pub(super) fn error(pack: &Pack, error: &Misconception) -> Self {
        Self::Error(number(&pack.misconceptions, error))
    }
}

fn number<T>(all: &[T], one: &T) -> usize {
    1 + all.iter().position(|other| std::ptr::eq(other, one)).expect("it is one of them")
}

/// What somebody knows who has read some questions with their answers.
#[derive(Debug, Clone, Default)]
pub(super) struct Told(BTreeSet<Part>);

impl Told {
    /// Whether a part is known.
    pub(super) fn has(&self, part: Part) -> bool {
        self.0.contains(&part)
    }

    /// Adds a part, and all that it tells.
    pub(super) fn add(&mut self, pack: &Pack, part: Part) {
        self.0.insert(part);
        let with_it = |overlap: &&Overlap| members(overlap).any(|member| member == part);
        self.0.extend(pack.overlaps.iter().filter(with_it).flat_map(members));
    }

    /// Adds what another one knows.
    pub(super) fn join(&mut self, other: &Self) {
        self.0.extend(&other.0);
    }
}

fn members(overlap: &Overlap) -> impl Iterator<Item = Part> {
    let facts = overlap.facts.iter().copied().map(Part::Fact);
    let terms = overlap.terms.iter().copied().map(Part::Term);
    facts.chain(terms).chain(overlap.errors.iter().copied().map(Part::Error))
}
