use std::collections::BTreeSet;

use banyan_bank::packs::{Fact, Overlap, Pack, Part};
use banyan_bank::parts::{Misconception, Term};

/// The number of a fact of a pack.
pub(super) fn fact(pack: &Pack, fact: &Fact) -> Part {
    Part::Fact(number(&pack.facts, fact))
}

/// The number of a term of a pack.
pub(super) fn term(pack: &Pack, term: &Term) -> Part {
    Part::Term(number(&pack.terms, term))
}

/// The number of a common error of a pack.
pub(super) fn error(pack: &Pack, error: &Misconception) -> Part {
    Part::Error(number(&pack.misconceptions, error))
}

fn number<T>(all: &[T], one: &T) -> usize {
    1 + all.iter().position(|other| std::ptr::eq(other, one)).expect("it is one of them")
}

/// Parts that a pupil knows from questions with answers.
#[derive(Debug, Clone, Default)]
pub(super) struct KnownParts(BTreeSet<Part>);

impl KnownParts {
    /// Whether a part is known.
    pub(super) fn has(&self, part: Part) -> bool {
        self.0.contains(&part)
    }

    /// Adds a part, and all that it tells.
    pub(super) fn add(&mut self, pack: &Pack, part: Part) {
        self.0.insert(part);
        let with_it = |overlap: &&Overlap| overlap.parts().any(|other| other == part);
        self.0.extend(pack.overlaps.iter().filter(with_it).flat_map(Overlap::parts));
    }

    /// Adds what another one knows.
    pub(super) fn join(&mut self, other: &Self) {
        self.0.extend(&other.0);
    }
}
