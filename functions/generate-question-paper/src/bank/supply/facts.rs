use std::rc::Rc;

use banyan_bank::packs::Fact;
use banyan_bank::parts::Term;
use banyan_functions::seed::SeededRng;

use super::answer_keys::{MOST_TIMES, Place};
use super::{Found, Supply, points};
use crate::plan::QuestionType;
use crate::request::PaperRequest;

/// Marks of a paper that asks for nearly everything that the bank knows of a chapter.
const LONG_PAPER: u32 = 80;

/// The most words of a mistake that a pupil is asked to name.
const MISTAKE: usize = 5;

/// The fewest letters of a word that a mistake is named by.
const WORD: usize = 3;

/// For how many marks of a paper one fact is kept whose mistake is to be found.
const A_MISTAKE: u32 = 10;

impl<'a> Supply<'a> {
    /// An unused fact that is fit, from the sub-topic with the fewest marks so far; what is known
    /// by what was asked comes last, where it may come at all.
    pub(in crate::bank) fn fact(&mut self, marks: u32, fit: impl Fn(&Fact) -> bool) -> Option<&'a Fact> {
        let pack = self.pack?;
        let candidates: Vec<usize> =
            (0..pack.facts.len()).filter(|at| self.is_unused(*at) && fit(&pack.facts[*at])).collect();
        // One whose false variant was not printed yet, so that a pupil does not read it twice.
        let load = |at: &usize| {
            let is_read = (self.state.shown[*at] > 0, self.is_known(Place::Fact(*at)));
            (is_read, self.kept[*at], self.load_of(pack.facts[*at].subtopic))
        };
        let least = candidates.iter().map(load).min()?;
        let lightest: Vec<usize> = candidates.into_iter().filter(|at| load(at) == least).collect();
        let at = lightest[self.rng.below(lightest.len())];
        self.use_fact(at, marks);
        Some(&pack.facts[at])
    }

    /// Returns whether a fact has not been asked for, in any words, and may be.
    fn is_unused(&self, fact: usize) -> bool {
        let is_asked = self.state.facts[fact] || self.is_asked(&self.wordings.facts[fact]);
        !is_asked && self.is_open(Place::Fact(fact))
    }

    pub(super) fn load_of(&self, subtopic: usize) -> u32 {
        self.state.load.get(subtopic.wrapping_sub(1)).copied().unwrap_or(u32::MAX)
    }

    pub(super) fn use_fact(&mut self, at: usize, marks: u32) {
        if let Some(pack) = self.pack {
            self.state.facts[at] = true;
            self.add_asked(self.wordings.facts[at].clone());
            self.add_load(pack.facts[at].subtopic, marks);
        }
    }

    pub(super) fn add_load(&mut self, subtopic: usize, marks: u32) {
        if let Some(load) = self.state.load.get_mut(subtopic.wrapping_sub(1)) {
            *load += marks;
        }
    }

    /// An unused fact that says more of a term than what it means, for a mark.
    pub(in crate::bank) fn fact_about(&mut self, term: &Term) -> Option<&'a Fact> {
        let pack = self.pack?;
        let no = 1 + pack.terms.iter().position(|other| other.term == term.term)?;
        let at = self.facts_outside_keys().find(|at| pack.facts[*at].about == Some(no))?;
        self.use_fact(at, 1);
        Rc::make_mut(&mut self.state.answer_keys).add_fact(at);
        Some(&pack.facts[at])
    }

    /// An unused fact with what is wrong in its false variant, for two marks, from the sub-topic
    /// with the fewest marks so far. Its false variant is no option of another question, which
    /// would tell that it is false.
    pub(in crate::bank) fn mistaken_fact(&mut self) -> Option<(&'a Fact, String)> {
        let pack = self.pack?;
        let with_mistake = self.unread().filter_map(|at| Some((at, self.found.mistakes[at].as_ref()?)));
        let hidden = with_mistake.filter(|(at, mistake)| !self.is_described(&pack.facts[*at], mistake));
        let least = |at: usize| {
            (self.is_known(Place::Fact(at)), !self.kept[at], self.load_of(pack.facts[at].subtopic))
        };
        let (at, mistake) = hidden.min_by_key(|(at, _)| least(*at))?;
        let wrong = mistake.wrong.clone();
        self.use_mistake(at, 2);
        Some((&pack.facts[at], wrong))
    }

    /// The same for one mark, where what is wrong in it cannot be named.
    pub(in crate::bank) fn false_fact(&mut self) -> Option<&'a Fact> {
        let pack = self.pack?;
        let nameless = self.unread().filter(|at| self.found.mistakes[*at].is_none());
        let at = nameless.min_by_key(|at| self.load_of(pack.facts[*at].subtopic))?;
        self.use_mistake(at, 1);
        Some(&pack.facts[at])
    }

    fn use_mistake(&mut self, at: usize, marks: u32) {
        self.use_fact(at, marks);
        Rc::make_mut(&mut self.state.answer_keys).add_fact(at);
        self.state.shown[at] += 1;
        self.state.mistakes += 1;
    }

    /// Facts that can be asked for and whose false variants pupils have not read.
    fn unread(&self) -> impl Iterator<Item = usize> {
        self.facts_outside_keys().filter(|at| self.state.shown[*at] == 0)
    }

    /// Returns whether a description that pupils read, of a term in the fact, holds the correction
    /// of the mistake.
    fn is_described(&self, fact: &Fact, mistake: &Mistake) -> bool {
        let terms = self.pack.map(|pack| pack.terms.as_slice()).unwrap_or_default();
        let described = terms.iter().zip(&self.state.described).filter(|(_, described)| **described);
        let right = mistake.right.to_lowercase();
        described
            .filter(|(term, _)| term.is_named_in(&fact.right))
            .any(|(term, _)| term.meaning.to_lowercase().contains(&right))
    }

    /// An unused fact whose true statement pupils judge, for a mark: one that no key tells and
    /// whose false variant is printed nowhere.
    pub(in crate::bank) fn right_fact(&mut self) -> Option<&'a Fact> {
        let pack = self.pack?;
        let is_new = |at: &usize| {
            let is_unread = !self.state.stated[*at] && self.state.shown[*at] == 0;
            let is_in_words = pack.facts[*at].check.is_none();
            is_unread && is_in_words && self.is_unused(*at) && self.state.answer_keys.times(*at) == 0
        };
        let least = |at: &usize| {
            (self.is_known(Place::Fact(*at)), self.kept[*at], self.load_of(pack.facts[*at].subtopic))
        };
        let at = (0..pack.facts.len()).filter(is_new).min_by_key(least)?;
        self.use_fact(at, 1);
        self.state.stated[at] = true;
        self.state.judgements[0] += 1;
        Some(&pack.facts[at])
    }

    /// Whether a true statement is to be judged next, and no common error: by turns, from a start
    /// of the seed's.
    pub(in crate::bank) fn is_turn_of_right(&self) -> bool {
        let [right, wrong] = self.state.judgements;
        right < wrong || (right == wrong && self.seed % 2 == 1)
    }

    /// Returns whether the next item is a mistake to find rather than a fact. There is one mistake
    /// for two facts, and more if a chapter has to fill a long paper, since a fact is then worth
    /// two marks.
    pub(in crate::bank) fn is_turn_of_mistakes(&self) -> bool {
        let (mistakes, facts) = (self.state.mistakes, self.state.asked_alone);
        if self.is_long() { mistakes <= facts * 2 } else { mistakes * 2 <= facts }
    }

    /// Whether the paper asks for nearly everything that the bank knows.
    pub(in crate::bank) fn is_long(&self) -> bool {
        self.request.marks >= LONG_PAPER
    }

    /// Notes that a fact was asked for alone.
    pub(in crate::bank) fn add_asked_alone(&mut self) {
        self.state.asked_alone += 1;
    }

    /// Unused facts that are no results of single sums, that pupils have not read and that keys
    /// have not told too often.
    fn facts_outside_keys(&self) -> impl Iterator<Item = usize> {
        let facts = self.pack.map(|pack| pack.facts.as_slice()).unwrap_or_default();
        let fits = move |at: &usize| {
            let is_hidden = !self.state.stated[*at] && self.state.answer_keys.times(*at) < MOST_TIMES;
            is_hidden && facts[*at].check.is_none() && self.is_unused(*at)
        };
        (0..facts.len()).filter(fits)
    }

    /// Unused facts of one sub-topic that tell nothing of one another, from the sub-topic with the
    /// fewest marks that has so many.
    pub(in crate::bank) fn facts_together(&mut self, count: usize) -> Option<Vec<&'a Fact>> {
        let pack = self.pack?;
        let mut places: Vec<usize> = (0..pack.facts.len()).filter(|at| self.is_unused(*at)).collect();
        self.rng.shuffle(&mut places);
        places.sort_by_key(|at| self.kept[*at]);
        let of = |subtopic: usize| {
            self.apart(places.iter().copied().filter(|at| pack.facts[*at].subtopic == subtopic), count)
        };
        let enough = (1..=pack.subtopics.len()).filter(|subtopic| of(*subtopic).len() == count);
        let subtopic = enough.min_by_key(|subtopic| self.load_of(*subtopic))?;
        let places = of(subtopic);
        places.iter().for_each(|at| self.use_fact(*at, 1));
        Some(places.into_iter().map(|at| &pack.facts[at]).collect())
    }

    /// Takes so many of these facts that none of them reveals another.
    fn apart(&self, facts: impl Iterator<Item = usize>, count: usize) -> Vec<usize> {
        let mut kept: Vec<usize> = Vec::new();
        for at in facts {
            let is_revealed = kept.iter().any(|other| self.reveals(Place::Fact(*other), Place::Fact(at)));
            if kept.len() < count && !is_revealed {
                kept.push(at);
            }
        }
        kept
    }

    /// Facts other than this one in the order in which their false variants were printed least,
    /// those of its own sub-topic first.
    pub(in crate::bank) fn for_false(&mut self, fact: &Fact) -> Vec<&'a Fact> {
        let Some(pack) = self.pack else { return Vec::new() };
        let mut others: Vec<(usize, &Fact)> = pack.facts.iter().enumerate().collect();
        others.retain(|(_, other)| other.right != fact.right);
        self.rng.shuffle(&mut others);
        // A sum stands beside sums, and one that is asked for elsewhere would be read twice.
        let order = |at: usize, other: &Fact| {
            let is_other_work = other.check.is_some() != fact.check.is_some();
            let is_read = (self.kept[at], self.state.shown[at], self.state.facts[at]);
            (is_other_work, is_read, other.subtopic != fact.subtopic)
        };
        others.sort_by_key(|(at, other)| order(*at, other));
        others.into_iter().map(|(_, other)| other).collect()
    }

    /// Notes that the false variants of these facts were printed.
    pub(in crate::bank) fn add_shown(&mut self, facts: &[&Fact]) {
        let Some(pack) = self.pack else { return };
        for (at, fact) in pack.facts.iter().enumerate() {
            if facts.iter().any(|shown| shown.right == fact.right) {
                self.state.shown[at] += 1;
            }
        }
    }

    /// Whether the false variants of these facts are all still unread.
    pub(in crate::bank) fn are_unread(&self, facts: &[&Fact]) -> bool {
        let Some(pack) = self.pack else { return false };
        let unread = |fact: &&Fact| {
            let at = pack.facts.iter().position(|other| other.right == fact.right);
            at.is_some_and(|at| self.state.shown[at] == 0)
        };
        facts.iter().all(unread)
    }

    /// Whether a part of a correction is said by a fact, which pupils may read.
    pub(in crate::bank) fn has_a_fact(&self, correction: &str) -> bool {
        let facts = self.pack.map(|pack| pack.facts.as_slice()).unwrap_or_default();
        points(correction).into_iter().any(|point| facts.iter().any(|fact| fact.right.contains(point)))
    }

    /// Notes that a key says a fact.
    pub(in crate::bank) fn add_to_keys(&mut self, fact: &Fact) {
        let at = self.pack.and_then(|pack| pack.facts.iter().position(|other| other.right == fact.right));
        if let Some(at) = at {
            Rc::make_mut(&mut self.state.answer_keys).add_fact(at);
        }
    }

    /// Notes that a true statement was printed for pupils to read.
    pub(in crate::bank) fn add_stated(&mut self, fact: &Fact) {
        let at = self.pack.and_then(|pack| pack.facts.iter().position(|other| other.right == fact.right));
        if let Some(at) = at {
            self.state.stated[at] = true;
        }
    }
}

/// Facts that objective questions leave out, so that their mistakes can be asked for. They are some
/// of those with a mistake, if the paper has questions that are answered in sentences.
pub(super) fn kept(request: &PaperRequest, found: &Found, rng: &mut SeededRng) -> Vec<bool> {
    let is_answered = |kind: &QuestionType| {
        matches!(kind, QuestionType::VeryShort | QuestionType::Short | QuestionType::Long)
    };
    let most = if request.types.iter().any(is_answered) { request.marks / A_MISTAKE } else { 0 };
    let mut places: Vec<usize> =
        (0..found.mistakes.len()).filter(|at| found.mistakes[*at].is_some()).collect();
    rng.shuffle(&mut places);
    places.truncate(most as usize);
    (0..found.mistakes.len()).map(|at| places.contains(&at)).collect()
}

/// The mistake in the false variant of a fact, and its correction in the true one.
pub(super) struct Mistake {
    wrong: String,
    right: String,
}

impl Mistake {
    /// The words at the one place where the two differ. Nothing where those are more than a few, or
    /// none that says anything by itself, or where words are left out.
    pub(super) fn of(fact: &Fact) -> Option<Self> {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let (right, wrong) = (words(&fact.right), words(&fact.wrong));
        let least = right.len().min(wrong.len());
        let before = (0..least).take_while(|at| right[*at] == wrong[*at]).count();
        let same_behind = |at: &usize| right[right.len() - 1 - at] == wrong[wrong.len() - 1 - at];
        let behind = (0..least - before).take_while(same_behind).count();
        let [right, wrong] = [&right[before..right.len() - behind], &wrong[before..wrong.len() - behind]];
        let named = |words: &[String]| words.join(" ").trim_end_matches(['.', ',', ';', '।']).to_owned();
        let is_named =
            wrong.len() <= MISTAKE && !right.is_empty() && wrong.iter().any(|word| says_something(word));
        is_named.then(|| Self { wrong: named(wrong), right: named(right) })
    }
}

fn says_something(word: &str) -> bool {
    word.chars().filter(|c| c.is_alphanumeric()).count() >= WORD || word.contains(char::is_numeric)
}
