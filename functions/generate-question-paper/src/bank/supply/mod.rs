/// Facts of the pack.
mod facts;

/// Terms of the pack.
mod terms;

/// Questions of the pack's lessons, and common errors.
mod lessons;

/// Problems worked out by rule.
mod problems;

/// Tasks for any chapter, and what of the pack answers them.
mod tasks;

/// Parts of the pack that reveal one another.
mod overlaps;

/// Parts that answer keys contain, and how often they may repeat them.
mod answer_keys;

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use banyan_bank::generators::{self, Difficulty, Generator};
use banyan_bank::packs::{Pack, Subtopic};
use banyan_bank::parts::{Check, Qa};
use banyan_bank::tasks::{Task, Work};
use banyan_functions::checks::similarity::Wording;
use banyan_functions::seed::SeededRng;

use crate::content::Topic;
use crate::request::PaperRequest;
use crate::shuffling::Keys;
use crate::words::Words;
use answer_keys::AnswerKeys;
pub(super) use answer_keys::Repetition;
use facts::{Mistake, kept};
use lessons::extra;
use overlaps::Overlaps;
use problems::{Draw, Drawn, Limits, Problems, sum_of};
pub(super) use tasks::Answered;
use terms::topics;

/// The bank's knowledge of the chapter, and how much of it is used.
pub(super) struct Supply<'a> {
    pub(super) request: &'a PaperRequest,
    pub(super) words: &'a Words,
    pub(super) pack: Option<&'a Pack>,
    pub(super) rng: SeededRng,
    /// Questions and answers of the pack beside its facts, with their sub-topics.
    extra: Vec<(usize, Qa)>,
    /// The words of the questions of the facts and of `extra`, which are compared for every slot.
    wordings: Wordings,
    /// Facts about the pack that every question needs, computed once.
    found: Found,
    /// Facts that are kept for questions about their mistakes.
    kept: Vec<bool>,
    generators: Vec<&'static Generator>,
    /// Problems as they were drawn: what is given back is drawn again for the next try.
    drawn: HashMap<Draw, Option<Rc<Drawn>>>,
    /// Kinds of problems that had nothing new, with how many problems there were then.
    dry: HashMap<(usize, Difficulty), usize>,
    /// Tasks that are true for any chapter of this kind.
    tasks: Vec<Task<'a>>,
    limits: Limits,
    /// How much of what others have asked for tasks may ask for.
    repetition: Repetition,
    seed: u64,
    state: State,
}

/// Words and sums of questions, in the order of the questions.
struct Wordings {
    facts: Vec<Asked>,
    extra: Vec<Asked>,
}

/// The words of a question, and its sum where it has one.
type Asked = (Rc<Wording>, Option<Rc<str>>);

impl Wordings {
    fn of(pack: Option<&Pack>, extra: &[(usize, Qa)]) -> Self {
        let wording = |question: &String, check: Option<&Check>| {
            let sum = check.and_then(|check| sum_of(question, check.value));
            (Rc::new(Wording::of(question)), sum)
        };
        let facts = pack.iter().flat_map(|pack| &pack.facts);
        Self {
            facts: facts.map(|fact| wording(&fact.q, fact.check.as_ref())).collect(),
            extra: extra.iter().map(|(_, qa)| wording(&qa.q, qa.check.as_ref())).collect(),
        }
    }
}

/// Facts about a pack, in its order.
struct Found {
    /// The sub-topic of each term.
    topics: Vec<Topic>,
    /// The mistake in each false one, if it can be named.
    mistakes: Vec<Option<Mistake>>,
    /// Parts that reveal one another.
    overlaps: Overlaps,
}

impl Found {
    fn of(pack: Option<&Pack>) -> Self {
        let facts = || pack.iter().flat_map(|pack| &pack.facts);
        Self {
            topics: pack.map(topics).unwrap_or_default(),
            mistakes: facts().map(Mistake::of).collect(),
            overlaps: pack.map(Overlaps::of).unwrap_or_default(),
        }
    }
}

/// Parts that have been used. A question that cannot be finished gives everything back, so the
/// growing parts are shared with copies until it is finished.
#[derive(Clone)]
pub(super) struct State {
    facts: Vec<bool>,
    terms: Vec<bool>,
    misconceptions: Vec<bool>,
    extra: Vec<bool>,
    problems: Problems,
    tasks: Vec<bool>,
    /// Parts that tasks about single sub-topics have asked for.
    answer_keys: Rc<AnswerKeys>,
    /// Marks that each sub-topic has got.
    load: Vec<u32>,
    /// Questions so far.
    asked: Rc<Vec<Rc<Wording>>>,
    /// Whole questions as printed so far.
    printed: Rc<Vec<Rc<Wording>>>,
    /// How often each false statement was printed.
    shown: Vec<u32>,
    /// True statements that pupils read.
    stated: Vec<bool>,
    /// Sums so far, whichever words they were asked in.
    sums: Rc<BTreeSet<Rc<str>>>,
    /// Multiple choice questions so far, from a start of the seed's.
    pub(super) turn: usize,
    /// Places of right options so far.
    keys: Keys,
    /// Questions that asked for the true statement among false ones so far.
    statements: usize,
    /// Mistakes to be found so far.
    mistakes: usize,
    /// Right and wrong statements of pupils to be judged so far.
    pub(super) judgements: [u32; 2],
    /// Terms whose meaning was asked for.
    described: Vec<bool>,
    /// Whether rules of safety were asked for.
    safety: bool,
    /// Facts that were asked for without any form around them so far.
    asked_alone: usize,
    /// True and false statements so far.
    pub(super) judged: [u32; 2],
}

impl State {
    /// Everything unused; `turns` are the kinds of multiple choice questions and the wordings that
    /// come first.
    fn unused(pack: Option<&Pack>, extra: usize, kinds: usize, tasks: usize, turns: [usize; 2]) -> Self {
        let sizes = |of: fn(&Pack) -> usize| pack.map_or(0, of);
        let facts = sizes(|pack| pack.facts.len());
        let [turn, statements] = turns;
        Self {
            facts: vec![false; facts],
            terms: vec![false; sizes(|pack| pack.terms.len())],
            misconceptions: vec![false; sizes(|pack| pack.misconceptions.len())],
            extra: vec![false; extra],
            problems: Problems::none(kinds),
            tasks: vec![false; tasks],
            answer_keys: Rc::new(AnswerKeys::nothing(tasks, pack)),
            load: vec![0; sizes(|pack| pack.subtopics.len())],
            asked: Rc::default(),
            printed: Rc::default(),
            shown: vec![0; facts],
            stated: vec![false; facts],
            sums: Rc::default(),
            turn,
            keys: Keys::default(),
            statements,
            mistakes: 0,
            judgements: [0; 2],
            described: vec![false; sizes(|pack| pack.terms.len())],
            safety: false,
            asked_alone: 0,
            judged: [0; 2],
        }
    }
}

impl<'a> Supply<'a> {
    pub(super) fn new(
        request: &'a PaperRequest,
        pack: Option<&'a Pack>,
        words: &'a Words,
        seed: u64,
    ) -> Self {
        let generators = match generators::speaks(request.language) {
            true => generators::for_chapter(request.class, &request.subject, &request.chapter),
            false => Vec::new(),
        };
        let extra = pack.map(extra).unwrap_or_default();
        // Questions on the chapter stand in the paper itself, where a pupil would copy them.
        let mut tasks = words.tasks.fitting(request.class, &request.subject);
        tasks.retain(|task| task.work != Work::Questions);
        let mut rng = SeededRng::new(seed, "paper");
        let turns = [rng.below(3), rng.below(words.which_statement.len().max(1))];
        let found = Found::of(pack);
        Self {
            request,
            words,
            pack,
            wordings: Wordings::of(pack, &extra),
            kept: kept(request, &found, &mut rng),
            found,
            drawn: HashMap::new(),
            dry: HashMap::new(),
            limits: Limits::of(&request.subject),
            state: State::unused(pack, extra.len(), generators.len(), tasks.len(), turns),
            rng,
            extra,
            generators,
            tasks,
            repetition: Repetition::None,
            seed,
        }
    }

    /// How to ask for the true one of four statements: each wording in its turn, so that a page of
    /// them does not read alike.
    pub(super) fn which_statement(&mut self) -> String {
        let stems = &self.words.which_statement;
        let stem = stems.get(self.state.statements % stems.len().max(1)).cloned().unwrap_or_default();
        self.state.statements += 1;
        stem
    }

    /// Options with the right one in its place.
    pub(super) fn place(&mut self, right: String, wrong: Vec<String>) -> (Vec<String>, usize) {
        self.state.keys.place(&mut self.rng, right, wrong)
    }

    /// Makes questions while tasks may repeat so much of other tasks.
    pub(super) fn telling_again<T>(
        &mut self,
        repetition: Repetition,
        make: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        self.repetition = repetition;
        let made = make(self);
        self.repetition = Repetition::None;
        made
    }

    /// The titles of the sub-topics.
    pub(super) fn subtopics(&self) -> Vec<String> {
        let title = |subtopic: &Subtopic| subtopic.title.clone();
        self.pack.map(|pack| pack.subtopics.iter().map(title).collect()).unwrap_or_default()
    }

    /// The title of a topic for sentences; the chapter where it has no name of its own.
    pub(super) fn title(&self, topic: Topic) -> &str {
        match (topic, self.pack) {
            (Topic::Subtopic(at), Some(pack)) => {
                pack.subtopics.get(at).map_or("", |subtopic| subtopic.title.as_str())
            }
            _ => &self.request.chapter,
        }
    }

    pub(super) fn saved(&self) -> State {
        self.state.clone()
    }

    pub(super) fn restore(&mut self, state: State) {
        self.state = state;
    }

    pub(super) fn state(&mut self) -> &mut State {
        &mut self.state
    }

    /// Notes what was asked.
    fn add_asked(&mut self, (question, sum): Asked) {
        Rc::make_mut(&mut self.state.asked).push(question);
        self.add_sum(sum);
    }

    fn add_sum(&mut self, sum: Option<Rc<str>>) {
        if let Some(sum) = sum {
            Rc::make_mut(&mut self.state.sums).insert(sum);
        }
    }

    /// Returns whether the question was asked before: in nearly the same words, or as a sum of the
    /// same numbers.
    fn is_asked(&self, (question, sum): &Asked) -> bool {
        sum.as_ref().is_some_and(|sum| self.state.sums.contains(sum))
            || self.state.asked.iter().any(|asked| asked.resembles(question))
    }

    /// Notes a whole question; false when it repeats one before it.
    pub(super) fn is_unlike_all_before(&mut self, question: &str) -> bool {
        let wording = Wording::of(question);
        let new = !self.state.printed.iter().any(|printed| wording.repeats(printed));
        if new {
            Rc::make_mut(&mut self.state.printed).push(Rc::new(wording));
        }
        new
    }
}

/// The points of an answer.
pub(super) fn points(answer: &str) -> Vec<&str> {
    answer.split("; ").filter(|point| !point.trim().is_empty()).collect()
}
