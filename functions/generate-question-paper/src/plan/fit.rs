//! Counts and marks per question that add up exactly (SPECIFICATION.md DOM-4.1.4 to DOM-4.1.7).

use super::QuestionType;
use super::shares::Share;

/// Most questions of a paper.
pub const MOST_QUESTIONS: u32 = 60;

/// The best use of the time allowed.
const FULL_USE: f64 = 0.85;

/// A part of a section: questions of one type with equal marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fit {
    pub(super) count: u32,
    pub(super) each: u32,
}

/// The best fit for every share, in their order: the preferred marks where they can be met, else
/// with as few changes as possible. `seconds` is the time allowed.
pub(super) fn fit(shares: &[Share], marks: u32, seconds: u32) -> Option<Vec<Fit>> {
    // Papers of objective types alone get whole sections of 2 marks, of like size, before they get
    // too long.
    let even = shares.iter().all(|share| share.kind.is_objective()) && marks > MOST_QUESTIONS;
    let mut layers = Layers::new();
    let most_steps = shares.iter().map(|share| share.kind.marks().len() - 1).sum::<usize>();
    for bounded in [true, false].into_iter().filter(|bounded| even || !bounded) {
        for steps in 0..=most_steps {
            let mut solve = |order| Search { shares, marks, steps, bounded, order }.best(&mut layers);
            if let Some((cost, quick)) = solve(Order::Quickest) {
                // Between equal fits the one that uses the time best.
                let slow = solve(Order::Slowest).filter(|(other, _)| (other - cost).abs() < 1e-9);
                let slow = slow.map_or_else(|| quick.clone(), |(_, slow)| slow);
                let from_full = |fits: &[Fit]| (use_of_time(shares, fits, seconds) - FULL_USE).abs();
                return Some(if from_full(&slow) < from_full(&quick) { slow } else { quick });
            }
        }
    }
    None
}

/// The time that a paper takes with a tenth more for reading, as a share of the time allowed.
fn use_of_time(shares: &[Share], fits: &[Fit], seconds: u32) -> f64 {
    let needed: u32 =
        shares.iter().zip(fits).map(|(share, fit)| fit.count * share.kind.seconds(fit.each)).sum();
    f64::from(needed) * 1.1 / f64::from(seconds)
}

#[derive(Clone, Copy, PartialEq)]
enum Order {
    Quickest,
    Slowest,
}

/// One way to reach a state, and how the last part of it was chosen.
#[derive(Clone, Copy)]
struct Way {
    cost: f64,
    seconds: u32,
    before: u32,
    fit: Fit,
}

/// The best way to every state behind each part: room that one search hands to the next, since
/// getting it anew takes longer than the search itself.
type Layers = Vec<Vec<Option<Way>>>;

struct Search<'a> {
    shares: &'a [Share],
    marks: u32,
    /// Changes from the preferred marks per question, in all.
    steps: usize,
    /// Whether every part stays between half and one and a half times its share.
    bounded: bool,
    order: Order,
}

impl Search<'_> {
    /// The cheapest fit and its cost. The number of questions is looked at only when the fit
    /// without it would have too many.
    fn best(&self, layers: &mut Layers) -> Option<(f64, Vec<Fit>)> {
        let (cost, fits) = self.solve(false, layers)?;
        if fits.iter().map(|fit| fit.count).sum::<u32>() <= MOST_QUESTIONS {
            return Some((cost, fits));
        }
        self.solve(true, layers)
    }

    fn solve(&self, counted: bool, layers: &mut Layers) -> Option<(f64, Vec<Fit>)> {
        let size = self.place(self.marks, if counted { MOST_QUESTIONS } else { 0 }, self.steps) + 1;
        layers.resize(self.shares.len() + 1, Vec::new());
        for layer in layers.iter_mut() {
            layer.clear();
            layer.resize(size, None);
        }
        layers[0][0] = Some(Way { cost: 0.0, seconds: 0, before: 0, fit: Fit { count: 0, each: 0 } });
        for (share, part) in self.shares.iter().zip(1..) {
            let (done, open) = layers.split_at_mut(part);
            for (at, way) in done[part - 1].iter().enumerate() {
                if let Some(way) = way {
                    self.extend(share, at, way, counted, &mut open[0]);
                }
            }
        }
        self.read(layers, counted)
    }

    /// All ways to add a part behind `way`, which stands at `at`.
    fn extend(&self, share: &Share, at: usize, way: &Way, counted: bool, next: &mut [Option<Way>]) {
        let (marks, questions, steps) = self.state(at);
        let target = share.share * f64::from(self.marks);
        let left = self.marks - marks;
        for (step, each) in share.kind.marks().iter().enumerate().take(self.steps - steps + 1) {
            let most = if counted { (left / each).min(MOST_QUESTIONS - questions) } else { left / each };
            for count in 1..=most {
                let sum = count * each;
                let off = f64::from(sum) - target;
                if self.bounded && !(0.5..=1.5).contains(&(f64::from(sum) / target)) {
                    continue;
                }
                let place =
                    self.place(marks + sum, if counted { questions + count } else { 0 }, steps + step);
                let new = Way {
                    cost: way.cost + off * off / target,
                    seconds: way.seconds + count * share.kind.seconds(*each),
                    before: u32::try_from(at).unwrap_or(u32::MAX),
                    fit: Fit { count, each: *each },
                };
                if next[place].is_none_or(|old| self.beats(&new, &old)) {
                    next[place] = Some(new);
                }
            }
        }
    }

    fn beats(&self, new: &Way, old: &Way) -> bool {
        if (new.cost - old.cost).abs() > 1e-9 {
            return new.cost < old.cost;
        }
        match self.order {
            Order::Quickest => new.seconds < old.seconds,
            Order::Slowest => new.seconds > old.seconds,
        }
    }

    fn read(&self, layers: &[Vec<Option<Way>>], counted: bool) -> Option<(f64, Vec<Fit>)> {
        let ends = if counted { 1..=MOST_QUESTIONS } else { 0..=0 };
        let last = layers.last()?;
        let at = |questions| self.place(self.marks, questions, self.steps);
        let mut best: Option<(usize, Way)> = None;
        for (place, way) in ends.map(at).filter_map(|place| Some((place, last[place]?))) {
            if best.is_none_or(|(_, other)| self.beats(&way, &other)) {
                best = Some((place, way));
            }
        }
        let (mut place, way) = best?;
        let mut fits = Vec::with_capacity(self.shares.len());
        for layer in layers.iter().skip(1).rev() {
            let way = layer[place]?;
            fits.push(way.fit);
            place = way.before as usize;
        }
        fits.reverse();
        Some((way.cost, fits))
    }

    fn place(&self, marks: u32, questions: u32, steps: usize) -> usize {
        ((questions * (self.marks + 1) + marks) as usize) * (self.steps + 1) + steps
    }

    fn state(&self, place: usize) -> (u32, u32, usize) {
        let (rest, steps) = (place / (self.steps + 1), place % (self.steps + 1));
        let rest = u32::try_from(rest).unwrap_or(u32::MAX);
        (rest % (self.marks + 1), rest / (self.marks + 1), steps)
    }
}

/// Halves of one type stand in the order of their marks, the ones with fewer first.
pub(super) fn ordered(shares: &[Share], fits: Vec<Fit>) -> Vec<Fit> {
    let mut ordered = fits;
    let mut start = 0;
    while start < shares.len() {
        let kind: QuestionType = shares[start].kind;
        let end = start + shares[start..].iter().take_while(|share| share.kind == kind).count();
        ordered[start..end].sort_by_key(|fit| (fit.each, fit.count));
        start = end;
    }
    ordered
}
