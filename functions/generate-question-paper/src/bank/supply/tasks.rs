use std::rc::Rc;

use banyan_bank::packs::Pack;
use banyan_bank::tasks::{Key, Task};

use super::Supply;
use super::answer_keys::{Place, Repetition};
use crate::content::{Body, Topic};

/// A task with what the pack knows of its answer: as many points as it asks for.
pub(in crate::bank) struct Answered<'a> {
    pub(in crate::bank) task: Task<'a>,
    pub(in crate::bank) answers: Vec<String>,
}

impl<'a> Supply<'a> {
    /// An unused task for so many points about the whole chapter, one that the pack answers with
    /// what answers no other.
    pub(in crate::bank) fn answered_task(&mut self, points: usize) -> Option<Answered<'a>> {
        let unused = (0..self.tasks.len()).filter(|at| !self.state.tasks[*at]);
        let known: Vec<(usize, Vec<Place>)> =
            unused.filter_map(|at| Some((at, self.places_of_all(at, points)?))).collect();
        let (at, places) = known.get(self.rng.below(known.len()))?.clone();
        self.state.tasks[at] = true;
        self.use_up(&places);
        let titled = self.tasks[at].key == Some(Key::Summary);
        Some(self.answered(at, places, titled))
    }

    /// Nothing else asks for what answers a task about the whole chapter.
    fn use_up(&mut self, places: &[Place]) {
        for place in places {
            match place {
                Place::Term(at) => self.state.terms[*at] = true,
                Place::Error(at) => self.state.misconceptions[*at] = true,
                Place::Fact(_) | Place::Link(_) | Place::Idea(..) => {}
            }
        }
    }

    /// A task with what answers it, which is noted; the title of its sub-topic stands before each
    /// fact of a `titled` one.
    fn answered(&mut self, task: usize, places: Vec<Place>, titled: bool) -> Answered<'a> {
        let answers = places.iter().filter_map(|place| self.said(*place, titled)).collect();
        Rc::make_mut(&mut self.state.answer_keys).add(places);
        Answered { task: self.tasks[task], answers }
    }

    /// An unused task that the teacher finds the answers to.
    pub(in crate::bank) fn open_task(&mut self) -> Option<Task<'a>> {
        let unused: Vec<usize> = (0..self.tasks.len()).filter(|at| !self.state.tasks[*at]).collect();
        let at = *unused.get(self.rng.below(unused.len()))?;
        self.state.tasks[at] = true;
        Some(self.tasks[at])
    }

    /// A task for so many points about one sub-topic, of which the pack knows as many that no other
    /// such task has asked for, or has asked for together: one that was given least, about the
    /// sub-topic with the fewest marks.
    pub(in crate::bank) fn task_of_a_subtopic(&mut self, points: usize) -> Option<(Answered<'a>, Topic)> {
        let subtopics = self.pack?.subtopics.len();
        let given = |task: usize| self.state.answer_keys.asked[task].iter().filter(|asked| **asked).count();
        let fit = (0..self.tasks.len()).filter(|task| self.is_about_a_subtopic(*task, points));
        let all = fit.flat_map(|task| (0..subtopics).map(move |subtopic| (task, subtopic)));
        let mut all: Vec<(usize, usize)> =
            all.filter(|(task, subtopic)| !self.state.answer_keys.asked[*task][*subtopic]).collect();
        all.sort_by_cached_key(|(task, subtopic)| (given(*task), self.load_of(subtopic + 1)));
        let (task, subtopic, places) = all
            .into_iter()
            .find_map(|(task, subtopic)| Some((task, subtopic, self.places_of(task, subtopic, points)?)))?;
        Rc::make_mut(&mut self.state.answer_keys).asked[task][subtopic] = true;
        self.add_load(subtopic + 1, u32::try_from(points).unwrap_or(0));
        Some((self.answered(task, places, false), Topic::Subtopic(subtopic)))
    }

    /// Returns whether a sub-topic has enough parts for so many points of a task.
    fn is_about_a_subtopic(&self, task: usize, points: usize) -> bool {
        match self.tasks[task].key {
            Some(Key::Facts) => true,
            // No single fact of a sub-topic reveals its subject.
            Some(Key::Summary | Key::Terms) => points > 1,
            // Parts that only a whole chapter has.
            Some(Key::Errors | Key::Map | Key::Links) | None => false,
        }
    }

    /// So many places that answer a task about a sub-topic: its facts and behind them its terms.
    fn places_of(&self, task: usize, subtopic: usize, points: usize) -> Option<Vec<Place>> {
        let pack = self.pack?;
        let key = self.tasks[task].key?;
        let is_of_it = |at: &usize| key != Key::Terms && pack.facts[*at].subtopic == subtopic + 1;
        let facts = self.facts_for_keys(pack).filter(is_of_it);
        let own = |at: &usize| self.found.topics[*at] == Topic::Subtopic(subtopic);
        let terms = self.unused_terms(pack).filter(own);
        self.as_many(facts.map(Place::Fact).chain(terms.map(Place::Term)).collect(), points)
    }

    /// So many places that answer a task about the whole chapter.
    fn places_of_all(&self, task: usize, points: usize) -> Option<Vec<Place>> {
        let pack = self.pack?;
        let key = self.tasks[task].key?;
        let used =
            self.tasks.iter().zip(&self.state.tasks).any(|(task, used)| *used && task.key == Some(key));
        let places = match key {
            _ if used && !self.repeats() => return None,
            Key::Terms => self.unused_terms(pack).map(Place::Term).collect(),
            Key::Facts => self.facts_for_keys(pack).map(Place::Fact).collect(),
            Key::Errors => (0..pack.misconceptions.len())
                .filter(|at| !self.state.misconceptions[*at])
                .map(Place::Error)
                .collect(),
            Key::Summary => self.summary(pack),
            Key::Map => self.map(pack),
            Key::Links => (0..pack.links.len()).map(Place::Link).collect(),
        };
        self.as_many(places, points)
    }

    /// So many of these places, those that are known and have answered least, in their order;
    /// nothing where there are fewer, or where too many of them are known by other questions.
    fn as_many(&self, places: Vec<Place>, points: usize) -> Option<Vec<Place>> {
        if places.len() < points {
            return None;
        }
        let of = |place: &Place| (self.is_asked_for(*place) || self.is_known(*place), *place);
        let mut order: Vec<(bool, Place)> = places.iter().map(of).collect();
        order.sort_by_key(|(is_known, place)| (*is_known, self.state.answer_keys.times_of(*place)));
        let mut least: Vec<Place> = Vec::new();
        let mut known = 0;
        for (is_known, place) in order {
            let with_it = known + usize::from(is_known);
            if least.len() == points || !self.repetition.allows(with_it, points) {
                break;
            }
            least.push(place);
            let is_much = self.state.answer_keys.has_much_of(&least, points, self.repetition);
            if is_much {
                least.pop();
            } else {
                known = with_it;
            }
        }
        least.sort_by_key(|place| places.iter().position(|other| other == place));
        (points > 0 && least.len() == points).then_some(least)
    }

    /// A key's text for a place; a fact of a `titled` key with its sub-topic.
    fn said(&self, place: Place, titled: bool) -> Option<String> {
        let pack = self.pack?;
        let title = |subtopic: usize| pack.subtopics[subtopic].title.as_str();
        Some(match place {
            Place::Fact(at) if titled => joined(title(pack.facts[at].subtopic - 1), &pack.facts[at].right),
            Place::Fact(at) => pack.facts[at].right.clone(),
            Place::Term(at) => joined(&pack.terms[at].term, &pack.terms[at].meaning),
            Place::Error(at) => joined(&pack.misconceptions[at].wrong, &pack.misconceptions[at].right),
            Place::Link(at) => joined(&pack.links[at].kind, &pack.links[at].text),
            Place::Idea(subtopic, term) => joined(title(subtopic), &pack.terms[term].term),
        })
    }

    /// Facts that say something of the chapter, as the result of a single sum does not, that pupils
    /// do not read, and that have answered few tasks.
    fn facts_for_keys(&self, pack: &'a Pack) -> impl Iterator<Item = usize> {
        (0..pack.facts.len()).filter(move |at| {
            let is_hidden = !self.state.stated[*at] && pack.facts[*at].check.is_none();
            is_hidden && self.may_be_in_key(Place::Fact(*at))
        })
    }

    /// Terms that nothing else asks for and that have answered few tasks; where tasks ask again,
    /// also those whose meaning pupils do not read.
    fn unused_terms(&self, pack: &'a Pack) -> impl Iterator<Item = usize> {
        let is_asked =
            move |at: usize| if self.repeats() { self.state.described[at] } else { self.state.terms[at] };
        (0..pack.terms.len()).filter(move |at| !is_asked(*at) && self.may_be_in_key(Place::Term(*at)))
    }

    /// Whether tasks may ask again.
    pub(super) fn repeats(&self) -> bool {
        self.repetition != Repetition::None
    }

    /// Whether a key may say it.
    fn may_be_in_key(&self, place: Place) -> bool {
        self.state.answer_keys.times_of(place) < self.repetition.most_times()
    }

    /// Facts of each sub-topic that keys contain least often.
    fn summary(&self, pack: &'a Pack) -> Vec<Place> {
        let of = |subtopic: usize| {
            let facts = self.facts_for_keys(pack).filter(|at| pack.facts[*at].subtopic == subtopic);
            facts.min_by_key(|at| self.state.answer_keys.times(*at)).map(Place::Fact)
        };
        (1..=pack.subtopics.len()).filter_map(of).collect()
    }

    /// The sub-topics, each with a term of its own that its title does not name.
    fn map(&self, pack: &'a Pack) -> Vec<Place> {
        let idea =
            |subtopic: usize| self.terms_of(pack, subtopic).next().map(|term| Place::Idea(subtopic, term));
        (0..pack.subtopics.len()).filter_map(idea).collect()
    }

    /// Returns whether two questions ask for the same fact, term or common error, or one reveals
    /// the answer of the other.
    pub(in crate::bank) fn tell_the_same(&self, one: &Body, other: &Body) -> bool {
        let told = self.places_in(one);
        self.places_in(other).iter().any(|place| told.iter().any(|told| self.reveals(*told, *place)))
    }

    fn places_in(&self, body: &Body) -> Vec<Place> {
        let Some(pack) = self.pack else { return Vec::new() };
        let says = |part: &str| body.all_texts().any(|text| text.contains(part));
        let facts = (0..pack.facts.len()).filter(|at| {
            let fact = &pack.facts[*at];
            says(&fact.right) || says(&fact.wrong) || says(&fact.q)
        });
        let terms = (0..pack.terms.len()).filter(|at| says(&pack.terms[*at].meaning));
        let errors = (0..pack.misconceptions.len()).filter(|at| says(&pack.misconceptions[*at].wrong));
        facts.map(Place::Fact).chain(terms.map(Place::Term)).chain(errors.map(Place::Error)).collect()
    }
}

fn joined(one: &str, other: &str) -> String {
    format!("{one} – {other}")
}
