use banyan_bank::packs::{Overlap, Pack, Part};

use super::Supply;
use super::answer_keys::Place;

/// Parts of a pack that reveal one another, for each fact, term and common error.
#[derive(Default)]
pub(super) struct Overlaps {
    facts: Vec<Vec<Place>>,
    terms: Vec<Vec<Place>>,
    errors: Vec<Vec<Place>>,
}

impl Overlaps {
    pub(super) fn of(pack: &Pack) -> Self {
        let places = |overlap: &Overlap| overlap.parts().map(Place::from).collect();
        let all: Vec<Vec<Place>> = pack.overlaps.iter().map(places).collect();
        let with = |place: Place| -> Vec<Place> {
            let of_it = all.iter().filter(|places| places.contains(&place));
            of_it.flatten().copied().filter(|other| *other != place).collect()
        };
        Self {
            facts: (0..pack.facts.len()).map(|at| with(Place::Fact(at))).collect(),
            terms: (0..pack.terms.len()).map(|at| with(Place::Term(at))).collect(),
            errors: (0..pack.misconceptions.len()).map(|at| with(Place::Error(at))).collect(),
        }
    }

    /// Places that reveal a place, or that it reveals.
    fn with(&self, place: Place) -> &[Place] {
        match place {
            Place::Fact(at) => &self.facts[at],
            Place::Term(at) => &self.terms[at],
            Place::Error(at) => &self.errors[at],
            Place::Link(_) | Place::Idea(..) => &[],
        }
    }
}

impl From<Part> for Place {
    fn from(part: Part) -> Self {
        match part {
            Part::Fact(no) => Self::Fact(no - 1),
            Part::Term(no) => Self::Term(no - 1),
            Part::Error(no) => Self::Error(no - 1),
        }
    }
}

impl Supply<'_> {
    /// Returns whether a question may ask for it. A part that another question asks for or reveals
    /// is used only if nothing else is left.
    pub(super) fn is_open(&self, place: Place) -> bool {
        self.repetition.is_last() || !self.is_known(place)
    }

    /// Returns whether a pupil who has answered the questions so far knows it.
    pub(super) fn is_known(&self, place: Place) -> bool {
        self.state.answer_keys.times_of(place) > 0
            || self.found.overlaps.with(place).iter().any(|other| self.is_asked_for(*other))
    }

    /// Whether a question asks for it, or a key says it.
    pub(super) fn is_asked_for(&self, place: Place) -> bool {
        let is_used = match place {
            Place::Fact(at) => self.state.facts[at],
            Place::Term(at) => self.state.terms[at],
            Place::Error(at) => self.state.misconceptions[at],
            Place::Link(_) | Place::Idea(..) => false,
        };
        is_used || self.state.answer_keys.times_of(place) > 0
    }

    /// Returns whether two parts of a pack are one to a pupil: the same part, or one that reveals
    /// the other.
    pub(super) fn reveals(&self, one: Place, other: Place) -> bool {
        one == other || self.found.overlaps.with(one).contains(&other)
    }
}
