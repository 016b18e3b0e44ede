use std::rc::Rc;

use banyan_bank::packs::Fact;
use banyan_bank::parts::Term;
use banyan_functions::checks::likeness::Wording;

use super::Supply;

/// Marks of a paper that asks for nearly everything that the bank knows of a chapter.
const LONG_PAPER: u32 = 80;

/// The most words of a mistake that a pupil is asked to name.
const MISTAKE: usize = 5;

impl<'a> Supply<'a> {
    /// An unused fact that is fit, from the sub-topic with the fewest marks so far.
    pub(in crate::bank) fn fact(&mut self, marks: u32, fit: impl Fn(&Fact) -> bool) -> Option<&'a Fact> {
        let pack = self.pack?;
        let unused = |at: &usize| {
            !self.state.facts[*at] && fit(&pack.facts[*at]) && !self.is_asked(&self.wordings.facts[*at])
        };
        let candidates: Vec<usize> = (0..pack.facts.len()).filter(unused).collect();
        // One whose false variant was not printed yet, so that a pupil does not read it twice.
        let load = |at: &usize| (self.state.shown[*at] > 0, self.load_of(pack.facts[*at].subtopic));
        let least = candidates.iter().map(load).min()?;
        let lightest: Vec<usize> = candidates.into_iter().filter(|at| load(at) == least).collect();
        let at = lightest[self.dice.below(lightest.len())];
        self.use_fact(at, marks);
        Some(&pack.facts[at])
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

    /// An unused fact that names a term and says more of it than what it means, for a mark.
    pub(in crate::bank) fn fact_about(&mut self, term: &Term) -> Option<&'a Fact> {
        let pack = self.pack?;
        let meaning = Wording::of(&format!("{} {}", term.term, term.meaning));
        let says_more = |at: &usize| {
            term.is_named_in(&pack.facts[*at].right) && !self.found.said[*at].resembles(&meaning)
        };
        let at = self.untold().find(says_more)?;
        self.use_fact(at, 1);
        Rc::make_mut(&mut self.state.told).add_fact(at);
        Some(&pack.facts[at])
    }

    /// An unused fact with what is wrong in its false variant, for two marks: one whose false variant was printed least, from
    /// the sub-topic with the fewest marks so far.
    pub(in crate::bank) fn mistaken_fact(&mut self) -> Option<(&'a Fact, String)> {
        let pack = self.pack?;
        let with_mistake = self.untold().filter_map(|at| Some((at, self.found.mistakes[at].as_ref()?)));
        let least = |at: usize| (self.state.shown[at], self.load_of(pack.facts[at].subtopic));
        let (at, wrong) = with_mistake.min_by_key(|(at, _)| least(*at))?;
        let wrong = wrong.clone();
        self.use_fact(at, 2);
        Rc::make_mut(&mut self.state.told).add_fact(at);
        self.state.shown[at] += 1;
        self.state.mistakes += 1;
        Some((&pack.facts[at], wrong))
    }

    /// How many mistakes pupils are asked to find.
    pub(in crate::bank) fn mistakes(&self) -> usize {
        self.state.mistakes
    }

    /// Whether a mistake to be found comes before a fact that is asked for: by turns, and more often where a chapter has to fill
    /// a long paper, since a fact then is worth two marks.
    pub(in crate::bank) fn is_turn_of_mistakes(&self) -> bool {
        let a_fact = if self.request.marks >= LONG_PAPER { 2 } else { 1 };
        self.state.mistakes <= self.state.asked_alone * a_fact
    }

    /// Notes that a fact was asked for alone.
    pub(in crate::bank) fn add_asked_alone(&mut self) {
        self.state.asked_alone += 1;
    }

    /// Unused facts that are no results of single sums and that pupils have not read.
    fn untold(&self) -> impl Iterator<Item = usize> {
        let facts = self.pack.map(|pack| pack.facts.as_slice()).unwrap_or_default();
        let fits = move |at: &usize| {
            let unused = !self.state.facts[*at] && !self.state.stated[*at];
            unused && facts[*at].check.is_none() && !self.is_asked(&self.wordings.facts[*at])
        };
        (0..facts.len()).filter(fits)
    }

    /// Unused facts of one sub-topic, the one with the fewest marks that has so many.
    pub(in crate::bank) fn facts_together(&mut self, count: usize) -> Option<Vec<&'a Fact>> {
        let pack = self.pack?;
        let unused = |subtopic: usize| -> Vec<usize> {
            let fits = |at: &usize| {
                let unused = !self.state.facts[*at] && !self.is_asked(&self.wordings.facts[*at]);
                unused && pack.facts[*at].subtopic == subtopic
            };
            (0..pack.facts.len()).filter(fits).collect()
        };
        let subtopics = (1..=pack.subtopics.len()).filter(|subtopic| unused(*subtopic).len() >= count);
        let subtopic = subtopics.min_by_key(|subtopic| self.load_of(*subtopic))?;
        let mut places = unused(subtopic);
        self.dice.shuffle(&mut places);
        places.truncate(count);
        places.iter().for_each(|at| self.use_fact(*at, 1));
        Some(places.into_iter().map(|at| &pack.facts[at]).collect())
    }

    /// Facts other than this one in the order in which their false variants were printed least, those of its
    /// own sub-topic first.
    pub(in crate::bank) fn for_false(&mut self, fact: &Fact) -> Vec<&'a Fact> {
        let Some(pack) = self.pack else { return Vec::new() };
        let mut others: Vec<(usize, &Fact)> = pack.facts.iter().enumerate().collect();
        others.retain(|(_, other)| other.right != fact.right);
        self.dice.shuffle(&mut others);
        // One that is asked for elsewhere would be read twice.
        let order = |at: usize, other: &Fact| {
            (self.state.shown[at], self.state.facts[at], other.subtopic != fact.subtopic)
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

    /// Notes that a true statement was printed for pupils to read.
    pub(in crate::bank) fn add_stated(&mut self, fact: &Fact) {
        let at = self.pack.and_then(|pack| pack.facts.iter().position(|other| other.right == fact.right));
        if let Some(at) = at {
            self.state.stated[at] = true;
        }
    }
}

/// What is wrong in the false variant of a fact: the words that the true one does not have at this place. Nothing where
/// the two differ in more than a few words, or in words that are left out.
pub(super) fn mistake(fact: &Fact) -> Option<String> {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let (right, wrong) = (words(&fact.right), words(&fact.wrong));
    let least = right.len().min(wrong.len());
    let before = (0..least).take_while(|at| right[*at] == wrong[*at]).count();
    let same_behind = |at: &usize| right[right.len() - 1 - at] == wrong[wrong.len() - 1 - at];
    let behind = (0..least - before).take_while(same_behind).count();
    let differing = wrong[before..wrong.len() - behind].join(" ");
    let named = differing.trim_end_matches(['.', ',', ';', '।']);
    let few = 1..=MISTAKE;
    let count = named.split_whitespace().count();
    (few.contains(&count) && right.len() > before + behind).then(|| named.to_owned())
}
