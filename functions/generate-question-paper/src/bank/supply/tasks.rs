use banyan_bank::packs::{Fact, Pack, Subtopic};
use banyan_bank::parts::Term;
use banyan_bank::tasks::{Key, Task};

use super::Supply;
use crate::content::Topic;

/// What tasks about single sub-topics have asked for.
#[derive(Clone)]
pub(super) struct Told {
    /// How many each fact answers.
    facts: Vec<u32>,
    /// How many each term does.
    terms: Vec<u32>,
    /// Which task has asked for which sub-topic.
    asked: Vec<Vec<bool>>,
}

impl Told {
    pub(super) fn nothing(tasks: usize, pack: Option<&Pack>) -> Self {
        let sizes = |of: fn(&Pack) -> usize| pack.map_or(0, of);
        Self {
            facts: vec![0; sizes(|pack| pack.facts.len())],
            terms: vec![0; sizes(|pack| pack.terms.len())],
            asked: vec![vec![false; sizes(|pack| pack.subtopics.len())]; tasks],
        }
    }
}

/// A task with what the pack knows of its answer: as many points as it asks for, or none.
pub(in crate::bank) struct Answered<'a> {
    pub(in crate::bank) task: Task<'a>,
    pub(in crate::bank) answers: Vec<String>,
}

/// A place of the pack that answers a task about a sub-topic.
#[derive(Clone, Copy)]
enum Place {
    Fact(usize),
    Term(usize),
}

impl<'a> Supply<'a> {
    /// An unused task for so many points about the whole chapter, one that the pack answers with what answers no other.
    pub(in crate::bank) fn answered_task(&mut self, points: usize) -> Option<Answered<'a>> {
        let used = |key: Key| {
            self.tasks.iter().zip(&self.state.tasks).any(|(task, used)| *used && task.key == Some(key))
        };
        let answers = |at: usize| {
            let key = self.tasks[at].key.filter(|key| !used(*key))?;
            Some((at, self.answers(key, points)?))
        };
        let answered: Vec<(usize, Vec<String>)> =
            self.unused_tasks().into_iter().filter_map(answers).collect();
        let (at, answers) = answered.get(self.dice.below(answered.len()))?.clone();
        self.state.tasks[at] = true;
        Some(Answered { task: self.tasks[at], answers })
    }

    /// An unused task that the teacher finds the answers to.
    pub(in crate::bank) fn open_task(&mut self) -> Option<Answered<'a>> {
        let unused = self.unused_tasks();
        let at = *unused.get(self.dice.below(unused.len()))?;
        self.state.tasks[at] = true;
        Some(Answered { task: self.tasks[at], answers: Vec::new() })
    }

    fn unused_tasks(&self) -> Vec<usize> {
        (0..self.tasks.len()).filter(|at| !self.state.tasks[*at]).collect()
    }

    /// A task for so many points about one sub-topic, of which the pack knows as many that no other such task has asked
    /// for: one that was given least, about the sub-topic with the fewest marks. A quiz is asked for in a task of its own kind.
    pub(in crate::bank) fn task_of_a_subtopic(
        &mut self,
        points: usize,
        is_quiz: bool,
    ) -> Option<(Answered<'a>, Topic)> {
        let subtopics = self.pack?.subtopics.len();
        let fits = |(task, subtopic): &(usize, usize)| {
            let is_told = self.state.told.asked[*task][*subtopic];
            let is_such = (self.tasks[*task].key == Some(Key::Quiz)) == is_quiz;
            is_such && !is_told && self.places(*task, *subtopic).len() >= points && points > 0
        };
        let given = |task: usize| self.state.told.asked[task].iter().filter(|asked| **asked).count();
        let all = (0..self.tasks.len()).flat_map(|task| (0..subtopics).map(move |subtopic| (task, subtopic)));
        let least = |(task, subtopic): &(usize, usize)| (given(*task), self.load_of(subtopic + 1));
        let (task, subtopic) = all.filter(fits).min_by_key(least)?;
        let mut places = self.places(task, subtopic);
        places.truncate(points);
        let answers = places.iter().filter_map(|place| self.said(*place, is_quiz)).collect();
        self.state.told.asked[task][subtopic] = true;
        for place in places.iter().filter(|_| !is_quiz) {
            match place {
                Place::Fact(at) => self.state.told.facts[*at] += 1,
                Place::Term(at) => self.state.told.terms[*at] += 1,
            }
        }
        self.add_load(subtopic + 1, u32::try_from(points).unwrap_or(0));
        Some((Answered { task: self.tasks[task], answers }, Topic::Subtopic(subtopic)))
    }

    /// What answers a task about a sub-topic: its facts but for results of single sums, and its terms behind them; nothing
    /// where the task asks for something that only a whole chapter has.
    fn places(&self, task: usize, subtopic: usize) -> Vec<Place> {
        let (Some(pack), Some(key)) = (self.pack, self.tasks[task].key) else { return Vec::new() };
        let (told, state) = (&self.state.told, &self.state);
        let is_told = |times: u32| times > u32::from(self.tells_again);
        let of_it = (0..pack.facts.len()).filter(|at| pack.facts[*at].subtopic == subtopic + 1);
        match key {
            Key::Quiz => of_it.map(Place::Fact).collect(),
            Key::Facts | Key::Summary => {
                let telling = of_it.filter(|at| pack.facts[*at].check.is_none());
                let unread = telling.filter(|at| !state.stated[*at] && !is_told(told.facts[*at]));
                let terms = (0..pack.terms.len()).filter(|at| !state.terms[*at] && !is_told(told.terms[*at]));
                let own = terms.filter(|at| self.topic_of(&pack.terms[*at]) == Topic::Subtopic(subtopic));
                unread.map(Place::Fact).chain(own.map(Place::Term)).collect()
            }
            Key::Terms | Key::Errors | Key::Map => Vec::new(),
        }
    }

    fn said(&self, place: Place, is_quiz: bool) -> Option<String> {
        let pack = self.pack?;
        Some(match place {
            Place::Fact(at) if is_quiz => joined(&pack.facts[at].q, &pack.facts[at].a),
            Place::Fact(at) => pack.facts[at].right.clone(),
            Place::Term(at) => joined(&pack.terms[at].term, &pack.terms[at].meaning),
        })
    }

    /// So many points of the pack that answer a task, none of them printed on pupils' pages; nothing where it has fewer.
    fn answers(&self, key: Key, points: usize) -> Option<Vec<String>> {
        let pack = self.pack?;
        let all = match key {
            Key::Terms => self.unused_terms(pack),
            Key::Facts => self.untold_facts(pack).map(|fact| fact.right.clone()).collect(),
            Key::Errors => self.unread_errors(pack),
            Key::Summary => self.summary(pack),
            Key::Map => self.map(pack),
            Key::Quiz => quiz(pack),
        };
        (all.len() >= points && points > 0).then(|| all.into_iter().take(points).collect())
    }

    /// Facts that say something of the chapter, as the result of a single sum does not, with how many tasks they answer.
    fn unread_facts<'p>(&'p self, pack: &'p Pack) -> impl Iterator<Item = (&'p Fact, u32)> {
        let facts = pack.facts.iter().zip(&self.state.stated).zip(&self.state.told.facts);
        let unread = facts.filter(|((fact, stated), _)| !**stated && fact.check.is_none());
        unread.map(|((fact, _), told)| (fact, *told))
    }

    fn untold_facts<'p>(&'p self, pack: &'p Pack) -> impl Iterator<Item = &'p Fact> {
        self.unread_facts(pack).filter(|(_, told)| *told == 0).map(|(fact, _)| fact)
    }

    fn unused_terms(&self, pack: &Pack) -> Vec<String> {
        let terms = pack.terms.iter().zip(&self.state.terms).filter(|(_, used)| !**used);
        terms.map(|(term, _)| joined(&term.term, &term.meaning)).collect()
    }

    fn unread_errors(&self, pack: &Pack) -> Vec<String> {
        let errors = pack.misconceptions.iter().zip(&self.state.misconceptions).filter(|(_, used)| !**used);
        errors.map(|(error, _)| joined(&error.wrong, &error.right)).collect()
    }

    /// The sub-topics, each with what is true of it, or with a term of its own.
    fn summary(&self, pack: &Pack) -> Vec<String> {
        let point = |(at, subtopic): (usize, &Subtopic)| {
            let fact = self.unread_facts(pack).find(|(fact, _)| fact.subtopic == at + 1);
            let said = fact.map(|(fact, _)| &fact.right).or_else(|| Some(&self.own_term(pack, at)?.term));
            Some(joined(&subtopic.title, said?))
        };
        pack.subtopics.iter().enumerate().filter_map(point).collect()
    }

    /// The sub-topics, each with a term of its own.
    fn map(&self, pack: &Pack) -> Vec<String> {
        let link = |(at, subtopic): (usize, &Subtopic)| {
            Some(joined(&subtopic.title, &self.own_term(pack, at)?.term))
        };
        pack.subtopics.iter().enumerate().filter_map(link).collect()
    }

    fn own_term<'p>(&self, pack: &'p Pack, subtopic: usize) -> Option<&'p Term> {
        pack.terms.iter().find(|term| self.topic_of(term) == Topic::Subtopic(subtopic))
    }
}

/// Questions with their answers: the first of each sub-topic, then the second of each, which no quiz on one of them has.
fn quiz(pack: &Pack) -> Vec<String> {
    let place = |(at, fact): (usize, &Fact)| {
        pack.facts[..at].iter().filter(|other| other.subtopic == fact.subtopic).count()
    };
    let mut facts: Vec<(usize, &Fact)> = pack.facts.iter().enumerate().collect();
    facts.sort_by_key(|(at, fact)| place((*at, fact)));
    facts.into_iter().map(|(_, fact)| joined(&fact.q, &fact.a)).collect()
}

fn joined(one: &str, other: &str) -> String {
    format!("{one} – {other}")
}
