/// Tasks for any chapter, and what of the pack answers them.
mod tasks;

use std::collections::BTreeSet;
use std::rc::Rc;

use banyan_bank::generators::{self, Answer, Difficulty, Generator, Item};
use banyan_bank::packs::{Fact, Pack, Subtopic};
use banyan_bank::parts::{Check, Misconception, Qa, Term};
use banyan_bank::subjects::Family;
use banyan_bank::tasks::Task;
use banyan_functions::checks::likeness::Wording;
use banyan_functions::seed::Dice;

use super::written::points;
use crate::content::Topic;
use crate::options::Keys;
use crate::request::PaperRequest;
use crate::words::Words;
use tasks::Told;

/// How often one kind of problem may come, with other numbers each time: in one part of a paper, and in the whole of it.
#[derive(Clone, Copy)]
pub(super) struct Share {
    part: u32,
    paper: u32,
}

const fn share(part: u32, paper: u32) -> Share {
    Share { part, paper }
}

/// In a paper of Mathematics, which is learnt by drill: what is tried first, and what where nothing else is left to ask.
const DRILL: [Share; 3] = [share(2, 2), share(2, 3), share(2, 4)];

/// In other subjects.
const PRACTICE: [Share; 3] = [share(1, 1), share(1, 2), share(2, 2)];

/// For numerical questions of other subjects where nothing else is left but a ruled line.
const MUCH_PRACTICE: Share = share(5, 5);

/// The same for any question of Mathematics.
const MUCH_DRILL: Share = share(10, 10);

/// How much more often where pupils choose between two of a kind.
const CHOICE: u32 = 1;

/// The longest answer that is worth a single mark.
const ANSWER_OF_ONE_MARK: usize = 60;

/// Draws of one generator before it counts as used up.
const DRAWS: u64 = 12;

/// What the bank knows about the chapter and has not used yet.
pub(super) struct Supply<'a> {
    pub(super) request: &'a PaperRequest,
    pub(super) words: &'a Words,
    pub(super) pack: Option<&'a Pack>,
    pub(super) dice: Dice,
    /// Questions and answers of the pack beside its facts, with their sub-topics.
    extra: Vec<(usize, Qa)>,
    /// The words of the questions of the facts and of `extra`, which are compared for every slot.
    wordings: Wordings,
    generators: Vec<&'static Generator>,
    /// Tasks that are true for any chapter of this kind.
    tasks: Vec<Task<'a>>,
    /// How often one kind of problem may come, step by step.
    steps: [Share; 3],
    /// How often it may come now.
    most: Share,
    /// Whether a task about a sub-topic may ask for what another has asked for.
    tells_again: bool,
    seed: u64,
    state: State,
}

/// Words and sums of questions, in the order of the questions.
struct Wordings {
    facts: Vec<(Rc<Wording>, Option<String>)>,
    extra: Vec<(Rc<Wording>, Option<String>)>,
}

/// What has been used. A question that does not come about gives everything back.
#[derive(Clone)]
pub(super) struct State {
    facts: Vec<bool>,
    terms: Vec<bool>,
    misconceptions: Vec<bool>,
    extra: Vec<bool>,
    kinds: Vec<u32>,
    /// The same in this part of the paper.
    kinds_here: Vec<u32>,
    tasks: Vec<bool>,
    /// What tasks about single sub-topics have asked for.
    told: Told,
    draws: u64,
    /// Marks that each sub-topic has got.
    load: Vec<u32>,
    /// What was asked so far.
    asked: Vec<Rc<Wording>>,
    /// Whole questions as printed so far.
    printed: Vec<Rc<Wording>>,
    /// How often each false statement was printed.
    shown: Vec<u32>,
    /// Which true statements pupils read.
    stated: Vec<bool>,
    /// Numbers of problems so far.
    numbers: BTreeSet<String>,
    /// Sums so far, whichever words they were asked in.
    sums: BTreeSet<String>,
    /// Multiple choice questions so far, from a start of the seed's.
    pub(super) turn: usize,
    /// Places of right options so far.
    keys: Keys,
    /// Questions that asked for the true statement among false ones so far.
    statements: usize,
    /// True and false statements so far.
    pub(super) judged: [u32; 2],
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
        let wording = |question: &String, check: Option<&Check>| {
            let sum = check.and_then(|check| sum_of(question, check.value));
            (Rc::new(Wording::of(question)), sum)
        };
        let facts = pack.map(|pack| pack.facts.as_slice()).unwrap_or_default();
        let wordings = Wordings {
            facts: facts.iter().map(|fact| wording(&fact.q, fact.check.as_ref())).collect(),
            extra: extra.iter().map(|(_, qa)| wording(&qa.q, qa.check.as_ref())).collect(),
        };
        let sizes = |of: fn(&Pack) -> usize| pack.map_or(0, of);
        let mut dice = Dice::new(seed, "paper");
        let tasks = words.tasks.fitting(request.class, &request.subject);
        let state = State {
            facts: vec![false; sizes(|pack| pack.facts.len())],
            terms: vec![false; sizes(|pack| pack.terms.len())],
            misconceptions: vec![false; sizes(|pack| pack.misconceptions.len())],
            extra: vec![false; extra.len()],
            kinds: vec![0; generators.len()],
            kinds_here: vec![0; generators.len()],
            tasks: vec![false; tasks.len()],
            told: Told::nothing(tasks.len(), pack),
            draws: 0,
            load: vec![0; sizes(|pack| pack.subtopics.len())],
            asked: Vec::new(),
            printed: Vec::new(),
            shown: vec![0; sizes(|pack| pack.facts.len())],
            stated: vec![false; sizes(|pack| pack.facts.len())],
            numbers: BTreeSet::new(),
            sums: BTreeSet::new(),
            turn: dice.below(3),
            keys: Keys::default(),
            statements: dice.below(words.which_statement.len().max(1)),
            judged: [0; 2],
        };
        let mathematics = Family::of(&request.subject) == Family::Mathematics;
        let steps = if mathematics { DRILL } else { PRACTICE };
        let most = steps[0];
        let tells_again = false;
        Self {
            request,
            words,
            pack,
            dice,
            extra,
            wordings,
            generators,
            tasks,
            steps,
            most,
            tells_again,
            seed,
            state,
        }
    }

    /// How to ask for the true one of four statements: each wording in its turn, so that a page of them does not
    /// read alike.
    pub(super) fn which_statement(&mut self) -> String {
        let stems = &self.words.which_statement;
        let stem = stems.get(self.state.statements % stems.len().max(1)).cloned().unwrap_or_default();
        self.state.statements += 1;
        stem
    }

    /// Options with the right one in its place.
    pub(super) fn place(&mut self, right: String, wrong: Vec<String>) -> (Vec<String>, usize) {
        self.state.keys.place(&mut self.dice, right, wrong)
    }

    /// Begins another part of the paper.
    pub(super) fn begin_part(&mut self) {
        self.state.kinds_here.fill(0);
    }

    /// What is made with as few problems of one kind as can be (V10): another kind of problem, or a question that is none,
    /// comes before the same with other numbers.
    pub(super) fn step_by_step<T>(&mut self, mut make: impl FnMut(&mut Self) -> Option<T>) -> Option<T> {
        self.steps.into_iter().find_map(|step| {
            self.most = step;
            make(self)
        })
    }

    /// What is made while kinds of problems may come more often: where a subject is learnt by drill, and for a
    /// `numerical` question, which nothing else can fill; nothing elsewhere.
    pub(super) fn with_drill<T>(
        &mut self,
        numerical: bool,
        make: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        self.most = match (Family::of(&self.request.subject), numerical) {
            (Family::Mathematics, _) => MUCH_DRILL,
            (_, true) => MUCH_PRACTICE,
            (_, false) => return None,
        };
        make(self)
    }

    /// What is made while tasks about sub-topics may ask for what others have asked for.
    pub(super) fn telling_again<T>(&mut self, make: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.tells_again = true;
        let made = make(self);
        self.tells_again = false;
        made
    }

    /// Lets kinds of problems come more often among the alternatives, of which a pupil answers one.
    pub(super) fn allow_more_of_a_kind(&mut self) {
        let last = &mut self.steps[2];
        *last = share(last.part + CHOICE, last.paper + CHOICE);
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

    /// An unused fact that is fit, from the sub-topic with the fewest marks so far.
    pub(super) fn fact(&mut self, marks: u32, fit: impl Fn(&Fact) -> bool) -> Option<&'a Fact> {
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

    fn load_of(&self, subtopic: usize) -> u32 {
        self.state.load.get(subtopic.wrapping_sub(1)).copied().unwrap_or(u32::MAX)
    }

    fn use_fact(&mut self, at: usize, marks: u32) {
        if let Some(pack) = self.pack {
            self.state.facts[at] = true;
            let (wording, sum) = &self.wordings.facts[at];
            self.state.asked.push(Rc::clone(wording));
            self.state.sums.extend(sum.clone());
            self.add_load(pack.facts[at].subtopic, marks);
        }
    }

    fn add_load(&mut self, subtopic: usize, marks: u32) {
        if let Some(load) = self.state.load.get_mut(subtopic.wrapping_sub(1)) {
            *load += marks;
        }
    }

    /// Unused facts of one sub-topic, the one with the fewest marks that has so many.
    pub(super) fn facts_together(&mut self, count: usize) -> Option<Vec<&'a Fact>> {
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
    pub(super) fn for_false(&mut self, fact: &Fact) -> Vec<&'a Fact> {
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
    pub(super) fn add_shown(&mut self, facts: &[&Fact]) {
        let Some(pack) = self.pack else { return };
        for (at, fact) in pack.facts.iter().enumerate() {
            if facts.iter().any(|shown| shown.right == fact.right) {
                self.state.shown[at] += 1;
            }
        }
    }

    /// An unused term.
    pub(super) fn term(&mut self) -> Option<&'a Term> {
        self.terms(1, |_| true)?.pop()
    }

    /// Unused terms that can be asked for by what they mean, with that.
    pub(super) fn described_terms(&mut self, count: usize) -> Option<Vec<(&'a Term, String)>> {
        let terms = self.terms(count, |term| term.description().is_some())?;
        terms.into_iter().map(|term| Some((term, term.description()?))).collect()
    }

    /// The sub-topic whose facts name a term most often; the whole chapter where none does.
    pub(super) fn topic_of(&self, term: &Term) -> Topic {
        let Some(pack) = self.pack else { return Topic::Whole };
        let name = term.term.split('(').next().unwrap_or_default().trim().to_lowercase();
        let named = |subtopic: usize| {
            let facts = pack.facts.iter().filter(|fact| fact.subtopic == subtopic);
            facts.filter(|fact| format!("{} {}", fact.right, fact.q).to_lowercase().contains(&name)).count()
        };
        let best = (1..=pack.subtopics.len()).rev().max_by_key(|subtopic| named(*subtopic));
        match best {
            Some(subtopic) if named(subtopic) > 0 => Topic::Subtopic(subtopic - 1),
            _ => Topic::Whole,
        }
    }

    /// Several unused terms that are fit.
    fn terms(&mut self, count: usize, fit: impl Fn(&Term) -> bool) -> Option<Vec<&'a Term>> {
        let pack = self.pack?;
        let unused = |at: &usize| !self.state.terms[*at] && fit(&pack.terms[*at]);
        let mut places: Vec<usize> = (0..pack.terms.len()).filter(unused).collect();
        self.dice.shuffle(&mut places);
        places.truncate(count);
        if places.len() < count {
            return None;
        }
        for at in &places {
            self.state.terms[*at] = true;
        }
        Some(places.into_iter().map(|at| &pack.terms[at]).collect())
    }

    /// An unused common error.
    pub(super) fn misconception(&mut self) -> Option<&'a Misconception> {
        let pack = self.pack?;
        let unused: Vec<usize> =
            (0..pack.misconceptions.len()).filter(|at| !self.state.misconceptions[*at]).collect();
        let at = *unused.get(self.dice.below(unused.len()))?;
        self.state.misconceptions[at] = true;
        Some(&pack.misconceptions[at])
    }

    /// An unused question of the pack's lessons, unlike all asked so far.
    pub(super) fn question(&mut self, marks: u32, with_sum: bool) -> Option<(Topic, Qa)> {
        let fits = |at: &usize| {
            let (_, qa) = &self.extra[*at];
            let short =
                qa.a.chars().count() <= ANSWER_OF_ONE_MARK && points(&qa.a).len() < 2 && qa.check.is_none();
            let fits = marks > 1 || short;
            let unused = !self.state.extra[*at] && !self.is_asked(&self.wordings.extra[*at]);
            fits && unused && (!with_sum || qa.check.is_some())
        };
        let candidates: Vec<usize> = (0..self.extra.len()).filter(fits).collect();
        let at = *candidates.iter().min_by_key(|at| self.load_of(self.extra[**at].0))?;
        let (subtopic, qa) = self.extra[at].clone();
        self.state.extra[at] = true;
        let (wording, sum) = &self.wordings.extra[at];
        self.state.asked.push(Rc::clone(wording));
        self.state.sums.extend(sum.clone());
        self.add_load(subtopic, marks);
        Some((Topic::Subtopic(subtopic.saturating_sub(1)), qa))
    }

    /// Whether the same was asked before: in nearly the same words, or as a sum of the same numbers.
    fn is_asked(&self, (question, sum): &(Rc<Wording>, Option<String>)) -> bool {
        sum.as_ref().is_some_and(|sum| self.state.sums.contains(sum))
            || self.state.asked.iter().any(|asked| asked.resembles(question))
    }

    /// Whether the false variants of these facts are all still unread.
    pub(super) fn are_unread(&self, facts: &[&Fact]) -> bool {
        let Some(pack) = self.pack else { return false };
        let unread = |fact: &&Fact| {
            let at = pack.facts.iter().position(|other| other.right == fact.right);
            at.is_some_and(|at| self.state.shown[at] == 0)
        };
        facts.iter().all(unread)
    }

    /// Notes a problem; false when one in the same words was there before.
    fn is_new(&mut self, problem: &str) -> bool {
        let wording = Wording::of(problem);
        let new = !self.state.asked.iter().any(|asked| wording.repeats(asked));
        if new {
            self.state.asked.push(Rc::new(wording));
        }
        new
    }

    /// Notes a whole question; false when it repeats one before it.
    pub(super) fn is_unlike_all_before(&mut self, question: &str) -> bool {
        let wording = Wording::of(question);
        let new = !self.state.printed.iter().any(|printed| wording.repeats(printed));
        if new {
            self.state.printed.push(Rc::new(wording));
        }
        new
    }

    /// A problem worked out by rule with numbers of its own, of the kind that came least often. With `marks`
    /// only kinds that are worth as many.
    pub(super) fn problem(&mut self, marks: Option<u32>, difficulty: Difficulty) -> Option<Item> {
        let fits = |at: &usize| {
            let range = &self.generators[*at].marks;
            self.is_free(*at)
                && marks.is_none_or(|marks| {
                    (u32::from(*range.start())..=u32::from(*range.end())).contains(&marks)
                })
        };
        let mut order: Vec<usize> = (0..self.generators.len()).filter(fits).collect();
        self.dice.shuffle(&mut order);
        order.sort_by_key(|at| (self.state.kinds[*at], self.state.kinds_here[*at]));
        for at in order {
            for _ in 0..DRAWS {
                self.state.draws += 1;
                let seed = self.seed.wrapping_add(self.state.draws.wrapping_mul(0x9E37_79B9));
                let item = self.generators[at].item(self.request.language, seed, difficulty);
                let Some(item) = item else { break };
                let sum = match &item.value {
                    Answer::Quantity(number, _) => sum_of(&item.question, number.value()),
                    _ => None,
                };
                if sum.as_ref().is_some_and(|sum| self.state.sums.contains(sum)) {
                    continue;
                }
                if self.state.numbers.insert(numbers_of(&item)) && self.is_new(&item.question) {
                    self.state.kinds[at] += 1;
                    self.state.kinds_here[at] += 1;
                    self.state.sums.extend(sum);
                    return Some(item);
                }
            }
        }
        None
    }

    /// The most marks that an unused-up kind of problem is worth, up to `marks`.
    pub(super) fn problem_marks(&self, marks: u32) -> Option<u32> {
        let free = self.generators.iter().enumerate().filter(|(at, _)| self.is_free(*at));
        let fits = free.filter(|(_, generator)| u32::from(*generator.marks.start()) <= marks);
        fits.map(|(_, generator)| u32::from(*generator.marks.end()).min(marks)).max()
    }

    fn is_free(&self, kind: usize) -> bool {
        self.state.kinds[kind] < self.most.paper && self.state.kinds_here[kind] < self.most.part
    }

    /// Notes that a true statement was printed for pupils to read.
    pub(super) fn add_stated(&mut self, fact: &Fact) {
        let at = self.pack.and_then(|pack| pack.facts.iter().position(|other| other.right == fact.right));
        if let Some(at) = at {
            self.state.stated[at] = true;
        }
    }
}

/// The question with its numbers in order, and without its words: two problems of one kind with the same
/// numbers are one (V10).
fn numbers_of(item: &Item) -> String {
    let words = item.question.split(|c: char| !c.is_ascii_digit() && c != '.' && c != '/');
    let mut numbers: Vec<&str> =
        words.map(|word| word.trim_matches('.')).filter(|word| !word.is_empty()).collect();
    numbers.sort_unstable();
    if numbers.is_empty() {
        item.question.clone()
    } else {
        format!("{} {}", item.generator, numbers.join(" "))
    }
}

/// A sum whichever words it is asked in: its numbers with their units in order, and what it comes to. Nothing for a
/// question with fewer than two numbers, which many have in common (V10).
fn sum_of(question: &str, value: f64) -> Option<String> {
    let is_number = |c: char| c.is_ascii_digit();
    let words: Vec<&str> = question.split_whitespace().collect();
    let trimmed = |word: &str| word.trim_end_matches(['.', ',', '?', ';', ')']).to_owned();
    let with_unit = |(at, word): (usize, &&str)| {
        let next = words.get(at + 1).filter(|next| !next.contains(is_number) && next.chars().count() <= 3);
        let number = trimmed(word);
        let ends = number.len() < word.len();
        let unit = next.filter(|_| !ends).map(|next| trimmed(next)).unwrap_or_default();
        format!("{number} {unit}")
    };
    let mut numbers: Vec<String> =
        words.iter().enumerate().filter(|(_, word)| word.contains(is_number)).map(with_unit).collect();
    numbers.sort_unstable();
    (numbers.len() > 1).then(|| format!("{} = {value:.4}", numbers.join(", ")))
}

/// Questions of the lessons that a pack has worked out.
fn extra(pack: &Pack) -> Vec<(usize, Qa)> {
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
    all
}
