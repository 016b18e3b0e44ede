use banyan_bank::packs::Pack;
use banyan_bank::parts::{Check, Misconception, Qa};

use super::Supply;
use super::answer_keys::Place;
use super::points;
use crate::content::Topic;

/// The longest answer that is worth a single mark.
const ANSWER_OF_ONE_MARK: usize = 60;

impl<'a> Supply<'a> {
    /// An unused common error; what is known by what was asked comes last, where it may come at
    /// all.
    pub(in crate::bank) fn misconception(&mut self) -> Option<&'a Misconception> {
        let pack = self.pack?;
        let is_unused = |at: &usize| !self.state.misconceptions[*at] && self.is_open(Place::Error(*at));
        let mut unused: Vec<usize> = (0..pack.misconceptions.len()).filter(is_unused).collect();
        let is_new = |at: &usize| !self.is_known(Place::Error(*at));
        if unused.iter().any(is_new) {
            unused.retain(is_new);
        }
        let at = *unused.get(self.rng.below(unused.len()))?;
        self.state.misconceptions[at] = true;
        Some(&pack.misconceptions[at])
    }

    /// So many rules of safety, two or more of them, once in a paper.
    pub(in crate::bank) fn rules_of_safety(&mut self, most: usize) -> Option<&'a [String]> {
        let rules = &self.pack?.safety;
        let count = rules.len().min(most);
        if self.state.safety || count < 2 {
            return None;
        }
        self.state.safety = true;
        Some(&rules[..count])
    }

    /// An unused question of the pack's lessons, unlike all asked so far.
    pub(in crate::bank) fn question(&mut self, marks: u32, with_sum: bool) -> Option<(Topic, Qa)> {
        let fits = |at: &usize| {
            let (subtopic, qa) = &self.extra[*at];
            let short =
                qa.a.chars().count() <= ANSWER_OF_ONE_MARK && points(&qa.a).len() < 2 && qa.check.is_none();
            let fits = marks > 1 || short;
            let unused = !self.state.extra[*at] && !self.is_asked(&self.wordings.extra[*at]);
            // Prior knowledge is asked for if nothing of the chapter is left.
            let is_due = *subtopic > 0 || (self.repetition.is_last() && self.is_long());
            fits && unused && is_due && (!with_sum || qa.check.is_some())
        };
        let candidates: Vec<usize> = (0..self.extra.len()).filter(fits).collect();
        let at = *candidates.iter().min_by_key(|at| self.load_of(self.extra[**at].0))?;
        let (subtopic, qa) = self.extra[at].clone();
        self.state.extra[at] = true;
        self.add_asked(self.wordings.extra[at].clone());
        self.add_load(subtopic, marks);
        let topic = subtopic.checked_sub(1).map_or(Topic::Whole, Topic::Subtopic);
        Some((topic, qa))
    }
}

/// Questions of the lessons that a pack has worked out, and with sub-topic 0 those on what was
/// learnt before.
pub(super) fn extra(pack: &Pack) -> Vec<(usize, Qa)> {
    let mut all: Vec<(usize, Qa)> = Vec::new();
    for (at, subtopic) in (1..).zip(&pack.subtopics) {
        let Some(lesson) = &subtopic.lesson else { continue };
        // The other questions of a lesson lean on what was said before them.
        all.push((at, lesson.check.clone()));
    }
    for item in &pack.assessment {
        let check: Option<Check> = item.check.clone();
        all.push((item.outcome, Qa { q: item.q.clone(), a: item.a.clone(), check }));
    }
    all.extend(pack.diagnostic.iter().map(|qa| (0, qa.clone())));
    all
}
