use std::rc::Rc;

use banyan_bank::packs::{Pack, Subtopic};
use banyan_bank::parts::Term;
use banyan_bank::tasks::{Key, Task};

use super::Supply;
use crate::content::Topic;

/// What tasks have asked for.
#[derive(Clone)]
pub(super) struct Told {
    /// How many each fact answers.
    facts: Vec<u32>,
    /// How many each term does.
    terms: Vec<u32>,
    /// Which task has asked for which sub-topic.
    asked: Vec<Vec<bool>>,
    /// What has answered each of them.
    keys: Vec<Vec<Place>>,
    /// What has answered each task about the whole chapter.
    answers: Vec<Vec<String>>,
}

impl Told {
    pub(super) fn nothing(tasks: usize, pack: Option<&Pack>) -> Self {
        let sizes = |of: fn(&Pack) -> usize| pack.map_or(0, of);
        Self {
            facts: vec![0; sizes(|pack| pack.facts.len())],
            terms: vec![0; sizes(|pack| pack.terms.len())],
            asked: vec![vec![false; sizes(|pack| pack.subtopics.len())]; tasks],
            keys: Vec::new(),
            answers: Vec::new(),
        }
    }

    /// Notes that a key says a fact.
    pub(super) fn add_fact(&mut self, at: usize) {
        self.facts[at] += 1;
    }
}

/// A task with what the pack knows of its answer: as many points as it asks for.
pub(in crate::bank) struct Answered<'a> {
    pub(in crate::bank) task: Task<'a>,
    pub(in crate::bank) answers: Vec<String>,
}

/// A place of the pack that answers a task about a sub-topic.
#[derive(Clone, Copy, PartialEq, Eq)]
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
            let key = self.tasks[at].key.filter(|key| !used(*key) || self.tells_again > 1)?;
            let answers = self.answers(key, points)?;
            let is_new = |other: &Vec<String>| answers.iter().any(|answer| !other.contains(answer));
            self.state.told.answers.iter().all(is_new).then_some((at, answers))
        };
        let answered: Vec<(usize, Vec<String>)> =
            self.unused_tasks().into_iter().filter_map(answers).collect();
        let (at, answers) = answered.get(self.dice.below(answered.len()))?.clone();
        self.state.tasks[at] = true;
        self.use_answers(&answers);
        Rc::make_mut(&mut self.state.told).answers.push(answers.clone());
        Some(Answered { task: self.tasks[at], answers })
    }

    /// Notes what answers a task about the whole chapter, so that nothing else asks for it.
    fn use_answers(&mut self, answers: &[String]) {
        let Some(pack) = self.pack else { return };
        let is_said = |said: &str| answers.iter().any(|answer| answer.ends_with(said));
        for (at, fact) in pack.facts.iter().enumerate() {
            if is_said(&fact.right) || is_said(&joined(&fact.q, &fact.a)) {
                Rc::make_mut(&mut self.state.told).add_fact(at);
            }
        }
        for (at, term) in pack.terms.iter().enumerate() {
            self.state.terms[at] |= is_said(&joined(&term.term, &term.meaning));
        }
        for (at, error) in pack.misconceptions.iter().enumerate() {
            self.state.misconceptions[at] |= is_said(&error.right);
        }
    }

    /// An unused task that the teacher finds the answers to.
    pub(in crate::bank) fn open_task(&mut self) -> Option<Task<'a>> {
        let unused = self.unused_tasks();
        let at = *unused.get(self.dice.below(unused.len()))?;
        self.state.tasks[at] = true;
        Some(self.tasks[at])
    }

    fn unused_tasks(&self) -> Vec<usize> {
        (0..self.tasks.len()).filter(|at| !self.state.tasks[*at]).collect()
    }

    /// A task for so many points about one sub-topic, of which the pack knows as many that no other such task has asked
    /// for, or has asked for together: one that was given least, about the sub-topic with the fewest marks.
    pub(in crate::bank) fn task_of_a_subtopic(&mut self, points: usize) -> Option<(Answered<'a>, Topic)> {
        let subtopics = self.pack?.subtopics.len();
        let given = |task: usize| self.state.told.asked[task].iter().filter(|asked| **asked).count();
        let all = (0..self.tasks.len()).flat_map(|task| (0..subtopics).map(move |subtopic| (task, subtopic)));
        let mut all: Vec<(usize, usize)> =
            all.filter(|(task, subtopic)| !self.state.told.asked[*task][*subtopic]).collect();
        all.sort_by_cached_key(|(task, subtopic)| (given(*task), self.load_of(subtopic + 1)));
        let (task, subtopic, places) = all
            .into_iter()
            .find_map(|(task, subtopic)| Some((task, subtopic, self.places_of(task, subtopic, points)?)))?;
        let answers = places.iter().filter_map(|place| self.said(*place)).collect();
        let told = Rc::make_mut(&mut self.state.told);
        told.asked[task][subtopic] = true;
        for place in &places {
            match place {
                Place::Fact(at) => told.facts[*at] += 1,
                Place::Term(at) => told.terms[*at] += 1,
            }
        }
        told.keys.push(places);
        self.add_load(subtopic + 1, u32::try_from(points).unwrap_or(0));
        Some((Answered { task: self.tasks[task], answers }, Topic::Subtopic(subtopic)))
    }

    /// So many places that answer a task about a sub-topic, those first that have answered least; never the same as another's.
    fn places_of(&self, task: usize, subtopic: usize, points: usize) -> Option<Vec<Place>> {
        let told = &self.state.told;
        let mut places = self.places(task, subtopic);
        places.sort_by_key(|place| match place {
            Place::Fact(at) => told.facts[*at],
            Place::Term(at) => told.terms[*at],
        });
        let enough = places.len() >= points && points > 0;
        places.truncate(points);
        let is_known = |key: &Vec<Place>| places.iter().all(|place| key.contains(place));
        (enough && !told.keys.iter().any(is_known)).then_some(places)
    }

    /// What answers a task about a sub-topic: its facts but for results of single sums, and its terms behind them; nothing
    /// where the task asks for something that only a whole chapter has.
    fn places(&self, task: usize, subtopic: usize) -> Vec<Place> {
        let (Some(pack), Some(key)) = (self.pack, self.tasks[task].key) else { return Vec::new() };
        let (told, state) = (&self.state.told, &self.state);
        let is_told = |times: u32| times > self.tells_again;
        let is_read = |at: usize| state.stated[at] && !self.tells_what_is_read();
        let of_it = (0..pack.facts.len()).filter(|at| pack.facts[*at].subtopic == subtopic + 1);
        match key {
            Key::Facts | Key::Summary => {
                let telling = of_it.filter(|at| pack.facts[*at].check.is_none());
                let unread = telling.filter(|at| !is_read(*at) && !is_told(told.facts[*at]));
                let terms = (0..pack.terms.len()).filter(|at| !state.terms[*at] && !is_told(told.terms[*at]));
                let own = terms.filter(|at| self.topic_of(&pack.terms[*at]) == Topic::Subtopic(subtopic));
                unread.map(Place::Fact).chain(own.map(Place::Term)).collect()
            }
            Key::Terms | Key::Errors | Key::Map | Key::Links => Vec::new(),
        }
    }

    fn said(&self, place: Place) -> Option<String> {
        let pack = self.pack?;
        Some(match place {
            Place::Fact(at) => self.line_of(pack, at),
            Place::Term(at) => joined(&pack.terms[at].term, &pack.terms[at].meaning),
        })
    }

    /// So many points of the pack that answer a task, none of them printed on pupils' pages; nothing where it has fewer.
    fn answers(&self, key: Key, points: usize) -> Option<Vec<String>> {
        let pack = self.pack?;
        let all = match key {
            Key::Terms => self.unused_terms(pack),
            Key::Facts => self.untold_facts(pack).into_iter().map(|at| self.line_of(pack, at)).collect(),
            Key::Errors => self.unread_errors(pack),
            Key::Summary => self.summary(pack),
            Key::Map => self.map(pack),
            Key::Links => pack.links.iter().map(|link| joined(&link.kind, &link.text)).collect(),
        };
        (all.len() >= points && points > 0).then(|| all.into_iter().take(points).collect())
    }

    /// Whether tasks may ask for a true statement that stands among false ones on pupils' pages: when little else is left.
    fn tells_what_is_read(&self) -> bool {
        self.tells_again > 1
    }

    /// What a key says of a fact; of one whose statement pupils read, its question and answer, which they do not.
    fn line_of(&self, pack: &Pack, at: usize) -> String {
        let fact = &pack.facts[at];
        if self.state.stated[at] { joined(&fact.q, &fact.a) } else { fact.right.clone() }
    }

    /// Facts that say something of the chapter, as the result of a single sum does not, and that have answered few tasks,
    /// the fewest first.
    fn untold_facts(&self, pack: &Pack) -> Vec<usize> {
        let fits = |at: &usize| {
            let is_read = self.state.stated[*at] && !self.tells_what_is_read();
            !is_read && pack.facts[*at].check.is_none() && self.state.told.facts[*at] <= self.tells_again
        };
        let mut facts: Vec<usize> = (0..pack.facts.len()).filter(fits).collect();
        facts.sort_by_key(|at| self.state.told.facts[*at]);
        facts
    }

    fn unused_terms(&self, pack: &Pack) -> Vec<String> {
        let all = self.tells_again > 1;
        let terms = pack.terms.iter().zip(&self.state.terms).filter(|(_, used)| all || !**used);
        terms.map(|(term, _)| joined(&term.term, &term.meaning)).collect()
    }

    fn unread_errors(&self, pack: &Pack) -> Vec<String> {
        let errors = pack.misconceptions.iter().zip(&self.state.misconceptions).filter(|(_, used)| !**used);
        errors.map(|(error, _)| joined(&error.wrong, &error.right)).collect()
    }

    /// The sub-topics, each with what is true of it and was told least.
    fn summary(&self, pack: &Pack) -> Vec<String> {
        let facts = self.untold_facts(pack);
        let point = |(at, subtopic): (usize, &Subtopic)| {
            let fact = facts.iter().find(|fact| pack.facts[**fact].subtopic == at + 1)?;
            Some(joined(&subtopic.title, &self.line_of(pack, *fact)))
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

fn joined(one: &str, other: &str) -> String {
    format!("{one} – {other}")
}
