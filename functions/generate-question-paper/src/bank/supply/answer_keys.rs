use std::rc::Rc;

use banyan_bank::packs::Pack;

/// How often the keys of a paper say one fact or term.
pub(super) const MOST_TIMES: u32 = 2;

/// The same in a long paper, which asks for more than the bank can tell.
const MOST_TIMES_AT_ALL: u32 = 4;

/// How much of what others have asked for a task may ask for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::bank) enum Repetition {
    /// Nothing.
    None,
    /// Less than half of it, a second time.
    Half,
    /// All but something of it, where nothing else is left.
    Most,
    /// All of it but in another key, more often, where a long paper asks for more than the bank can
    /// tell.
    Any,
}

impl Repetition {
    /// Whether nothing else is left to ask.
    pub(super) fn is_last(self) -> bool {
        matches!(self, Self::Most | Self::Any)
    }

    /// Returns whether a key of so many points may contain so many that pupils know from other
    /// questions.
    pub(super) fn allows(self, known: usize, points: usize) -> bool {
        match self {
            Self::None => known == 0,
            Self::Half => known * 2 < points,
            Self::Most => known < points,
            Self::Any => true,
        }
    }

    /// How often keys may say the same fact or term.
    pub(super) fn most_times(self) -> u32 {
        match self {
            Self::None => 1,
            Self::Half | Self::Most => MOST_TIMES,
            Self::Any => MOST_TIMES_AT_ALL,
        }
    }
}

/// A place of the pack that answers a task.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Fact(usize),
    Term(usize),
    Error(usize),
    Link(usize),
    /// A sub-topic and a term of its own.
    Idea(usize, usize),
}

/// Parts that tasks have asked for.
#[derive(Clone)]
pub(super) struct AnswerKeys {
    /// How many each fact answers.
    facts: Vec<u32>,
    /// How many each term does.
    terms: Vec<u32>,
    /// For each task, the sub-topics that it has asked for.
    pub(super) asked: Vec<Vec<bool>>,
    /// Answers of each task.
    keys: Vec<Rc<Vec<Place>>>,
}

impl AnswerKeys {
    pub(super) fn nothing(tasks: usize, pack: Option<&Pack>) -> Self {
        let sizes = |of: fn(&Pack) -> usize| pack.map_or(0, of);
        Self {
            facts: vec![0; sizes(|pack| pack.facts.len())],
            terms: vec![0; sizes(|pack| pack.terms.len())],
            asked: vec![vec![false; sizes(|pack| pack.subtopics.len())]; tasks],
            keys: Vec::new(),
        }
    }

    /// Notes that a key says a fact.
    pub(super) fn add_fact(&mut self, at: usize) {
        self.facts[at] += 1;
    }

    /// Notes that a key says what a term means.
    pub(super) fn add_term(&mut self, at: usize) {
        self.terms[at] += 1;
    }

    /// How many keys say a fact.
    pub(super) fn times(&self, fact: usize) -> u32 {
        self.facts[fact]
    }

    /// Notes what answers a task.
    pub(super) fn add(&mut self, places: Vec<Place>) {
        for place in &places {
            match place {
                Place::Fact(at) => self.facts[*at] += 1,
                Place::Term(at) => self.terms[*at] += 1,
                Place::Error(_) | Place::Link(_) | Place::Idea(..) => {}
            }
        }
        self.keys.push(Rc::new(places));
    }

    /// How many keys say what stands at a place, for those that others may say, too.
    pub(super) fn times_of(&self, place: Place) -> u32 {
        match place {
            Place::Fact(at) => self.facts[at],
            Place::Term(at) => self.terms[at],
            Place::Error(_) | Place::Link(_) | Place::Idea(..) => 0,
        }
    }

    /// Returns whether a key of so many points shares too much with another key, so that a pupil
    /// who can answer one question has the marks of the other.
    pub(super) fn has_much_of(&self, key: &[Place], points: usize, repetition: Repetition) -> bool {
        self.keys.iter().any(|other| {
            let shared = key.iter().filter(|place| other.contains(place)).count();
            let least = points.min(other.len());
            match repetition {
                Repetition::None | Repetition::Half => shared * 2 >= least,
                Repetition::Most => shared >= least,
                Repetition::Any => shared >= points.max(other.len()),
            }
        })
    }
}
