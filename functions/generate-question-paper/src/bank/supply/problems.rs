use std::collections::BTreeSet;
use std::rc::Rc;

use banyan_bank::generators::{Answer, Difficulty, Item};
use banyan_bank::subjects::Family;
use banyan_functions::checks::similarity::Wording;

use super::Supply;

/// How often one kind of problem may come, with other numbers each time: in one part of a paper,
/// and in the whole of it.
#[derive(Clone, Copy)]
struct Share {
    part: u32,
    paper: u32,
}

const fn share(part: u32, paper: u32) -> Share {
    Share { part, paper }
}

/// In a paper of Mathematics, which is learnt by drill: what is tried first, and what where nothing
/// else is left to ask.
const DRILL: [Share; 3] = [share(2, 2), share(2, 3), share(2, 4)];

/// In other subjects.
const PRACTICE: [Share; 3] = [share(1, 1), share(1, 2), share(2, 2)];

/// For numerical questions of other subjects where nothing else is left but a ruled line.
const MUCH_PRACTICE: Share = share(5, 5);

/// The same for any question of Mathematics.
const MUCH_DRILL: Share = share(10, 10);

/// How much more often where pupils choose between two of a kind.
const CHOICE: Share = share(2, 1);

/// Draws of one generator before it counts as used up.
const DRAWS: u64 = 12;

/// How often kinds of problems may come.
pub(super) struct Limits {
    /// Step by step.
    steps: [Share; 3],
    /// Now.
    most: Share,
    /// Whether a kind is worth as many marks wherever it comes.
    worth_the_same: bool,
    /// Whether a question has one problem of a kind.
    apart: bool,
}

impl Limits {
    pub(super) fn of(subject: &str) -> Self {
        let steps = if Family::of(subject) == Family::Mathematics { DRILL } else { PRACTICE };
        Self { steps, most: steps[0], worth_the_same: true, apart: true }
    }
}

/// The problems so far.
#[derive(Clone)]
pub(super) struct Problems {
    /// How many there are of each kind.
    times: Vec<u32>,
    /// The same in this part of the paper.
    here: Vec<u32>,
    /// Kinds of problems in this question.
    now: Vec<bool>,
    /// How many marks each kind was worth.
    worth: Vec<Option<u32>>,
    /// Their numbers.
    numbers: Rc<BTreeSet<Rc<str>>>,
    draws: u64,
}

/// A draw of a kind of problem: the kind, which draw of the paper it is, and how difficult.
pub(super) type Draw = (usize, u64, Difficulty);

/// A problem with what it is compared by.
pub(super) struct Drawn {
    item: Item,
    sum: Option<Rc<str>>,
    numbers: Rc<str>,
    wording: Rc<Wording>,
}

impl Drawn {
    fn of(item: Item) -> Self {
        let sum = match &item.value {
            Answer::Quantity(number, _) => sum_of(&item.question, number.value()),
            _ => None,
        };
        let (numbers, wording) = (numbers_of(&item).into(), Rc::new(Wording::of(&item.question)));
        Self { item, sum, numbers, wording }
    }
}

impl Problems {
    pub(super) fn none(kinds: usize) -> Self {
        Self {
            times: vec![0; kinds],
            here: vec![0; kinds],
            now: vec![false; kinds],
            worth: vec![None; kinds],
            numbers: Rc::default(),
            draws: 0,
        }
    }
}

impl Supply<'_> {
    /// Begins another part of the paper.
    pub(in crate::bank) fn begin_part(&mut self) {
        self.state.problems.here.fill(0);
    }

    /// Begins another question, or another alternative of one.
    pub(in crate::bank) fn begin_question(&mut self) {
        self.state.problems.now.fill(false);
    }

    /// Makes questions with as few problems of one kind as possible (V10), each kind for the same
    /// marks as before. Another kind of problem, or a question without one, comes before the same
    /// kind with other numbers.
    pub(in crate::bank) fn step_by_step<T>(
        &mut self,
        mut make: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<T> {
        self.limits.steps.into_iter().find_map(|step| {
            self.limits.most = step;
            make(self)
        })
    }

    /// The same while a kind may be worth more marks here than there.
    pub(in crate::bank) fn worth_what_fits<T>(
        &mut self,
        make: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<T> {
        self.limits.worth_the_same = false;
        let made = self.step_by_step(make);
        self.limits.worth_the_same = true;
        made
    }

    /// Makes questions while kinds of problems may repeat: for a subject that is learnt by drill,
    /// and for a `numerical` question, which nothing else can fill.
    pub(in crate::bank) fn with_drill<T>(
        &mut self,
        numerical: bool,
        make: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        self.limits.most = match (Family::of(&self.request.subject), numerical) {
            (Family::Mathematics, _) => MUCH_DRILL,
            (_, true) => MUCH_PRACTICE,
            (_, false) => return None,
        };
        self.limits.worth_the_same = false;
        let made = make(self);
        self.limits.worth_the_same = true;
        made
    }

    /// The same for a numerical question while its parts may be problems of one kind.
    pub(in crate::bank) fn with_like_beside_like<T>(
        &mut self,
        make: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        self.limits.apart = false;
        let made = self.with_drill(true, make);
        self.limits.apart = true;
        made
    }

    /// Lets kinds of problems come more often among the alternatives, of which a pupil answers one.
    pub(in crate::bank) fn allow_more_of_a_kind(&mut self) {
        let last = &mut self.limits.steps[2];
        *last = share(last.part + CHOICE.part, last.paper + CHOICE.paper);
    }

    /// Notes a problem; false when one in the same words was there before.
    fn is_new(&mut self, wording: &Rc<Wording>) -> bool {
        let new = !self.state.asked.iter().any(|asked| wording.repeats(asked));
        if new {
            Rc::make_mut(&mut self.state.asked).push(Rc::clone(wording));
        }
        new
    }

    /// Notes the numbers of a problem; false when one of its kind had the same.
    fn are_new(&mut self, numbers: &Rc<str>) -> bool {
        let new = !self.state.problems.numbers.contains(numbers);
        if new {
            Rc::make_mut(&mut self.state.problems.numbers).insert(Rc::clone(numbers));
        }
        new
    }

    /// The next draw of a kind; nothing where it has none so difficult.
    fn draw(&mut self, kind: usize, difficulty: Difficulty) -> Option<Rc<Drawn>> {
        self.state.problems.draws += 1;
        let (draws, language) = (self.state.problems.draws, self.request.language);
        let seed = self.seed.wrapping_add(draws.wrapping_mul(0x9E37_79B9));
        let generator = self.generators[kind];
        let new = || generator.item(language, seed, difficulty).map(|item| Rc::new(Drawn::of(item)));
        self.drawn.entry((kind, draws, difficulty)).or_insert_with(new).clone()
    }

    /// A problem worked out by rule with numbers of its own, of the kind that came least often.
    /// With `marks` only kinds that are worth as many.
    pub(in crate::bank) fn problem(&mut self, marks: Option<u32>, difficulty: Difficulty) -> Option<Item> {
        let fits = |at: &usize| self.is_free(*at) && marks.is_none_or(|marks| self.is_worth(*at, marks));
        let mut order: Vec<usize> = (0..self.generators.len()).filter(fits).collect();
        self.rng.shuffle(&mut order);
        order.sort_by_key(|at| (self.state.problems.times[*at], self.state.problems.here[*at]));
        for at in order {
            if self.is_dry(at, difficulty) {
                continue;
            }
            for _ in 0..DRAWS {
                let Some(drawn) = self.draw(at, difficulty) else { break };
                if drawn.sum.as_ref().is_some_and(|sum| self.state.sums.contains(sum)) {
                    continue;
                }
                if self.are_new(&drawn.numbers) && self.is_new(&drawn.wording) {
                    self.state.problems.times[at] += 1;
                    self.state.problems.here[at] += 1;
                    self.state.problems.now[at] = true;
                    self.state.problems.worth[at] = marks.or(self.state.problems.worth[at]);
                    self.add_sum(drawn.sum.clone());
                    return Some(drawn.item.clone());
                }
            }
            self.dry.insert((at, difficulty), self.state.problems.numbers.len());
        }
        None
    }

    /// Whether a kind had nothing new when there were no more problems than now.
    fn is_dry(&self, kind: usize, difficulty: Difficulty) -> bool {
        let problems = self.state.problems.numbers.len();
        self.dry.get(&(kind, difficulty)).is_some_and(|then| *then <= problems)
    }

    /// The most marks that an unused-up kind of problem is worth, up to `marks`.
    pub(in crate::bank) fn problem_marks(&self, marks: u32) -> Option<u32> {
        let fits = |at: usize, marks: u32| self.is_free(at) && self.is_worth(at, marks);
        (1..=marks).rev().find(|marks| (0..self.generators.len()).any(|at| fits(at, *marks)))
    }

    /// Whether a kind of problem may come for so many marks.
    fn is_worth(&self, kind: usize, marks: u32) -> bool {
        let range = &self.generators[kind].marks;
        let fits = (u32::from(*range.start())..=u32::from(*range.end())).contains(&marks);
        fits && self.state.problems.worth[kind]
            .is_none_or(|worth| worth == marks || !self.limits.worth_the_same)
    }

    fn is_free(&self, kind: usize) -> bool {
        let apart = !self.limits.apart || !self.state.problems.now[kind];
        apart
            && self.state.problems.times[kind] < self.limits.most.paper
            && self.state.problems.here[kind] < self.limits.most.part
    }
}

/// The question with its numbers in order, and without its words: two problems of one kind with the
/// same numbers are one (V10); where there is one at most, two with the same answer, too.
fn numbers_of(item: &Item) -> String {
    let words = item.question.split(|c: char| !c.is_ascii_digit() && c != '.' && c != '/');
    let mut numbers: Vec<&str> =
        words.map(|word| word.trim_matches('.')).filter(|word| !word.is_empty()).collect();
    numbers.sort_unstable();
    // One number is what all of a kind have, as the 52 of a deck of cards.
    let answer = if numbers.len() < 2 { item.answer.as_str() } else { "" };
    format!("{} {} {answer}", item.generator, numbers.join(" "))
}

/// A sum whichever words it is asked in: its numbers with their units in order, and what it comes
/// to. Nothing for a question with fewer than two numbers, which many have in common (V10).
pub(super) fn sum_of(question: &str, value: f64) -> Option<Rc<str>> {
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
    (numbers.len() > 1).then(|| format!("{} = {value:.4}", numbers.join(", ")).into())
}
