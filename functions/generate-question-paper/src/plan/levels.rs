//! Level and difficulty of every question (SPECIFICATION.md DOM-3.4, DOM-4.1.9).

use banyan_bank::generators::Difficulty;
use serde::Serialize;

use super::QuestionType;
use crate::request::Hardness;

/// Bloom's levels in the three groups that boards count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Remember and understand.
    Recall,
    /// Apply.
    Apply,
    /// Analyse, evaluate, create.
    Reason,
}

impl Level {
    /// All, lowest first.
    pub const ALL: [Self; 3] = [Self::Recall, Self::Apply, Self::Reason];
}

/// Percent of the marks that should be easy, average and difficult.
pub fn difficulty_percent(hardness: Hardness) -> [u32; 3] {
    match hardness {
        Hardness::Easy => [60, 30, 10],
        Hardness::Medium => [30, 50, 20],
        Hardness::Hard => [15, 40, 45],
        Hardness::Mixed => [34, 33, 33],
    }
}

/// Percent of the marks that should be for recall, application and reasoning.
pub fn level_percent(hardness: Hardness) -> [u32; 3] {
    match hardness {
        Hardness::Easy => [65, 25, 10],
        Hardness::Medium => [50, 30, 20],
        Hardness::Hard => [25, 40, 35],
        Hardness::Mixed => [45, 33, 22],
    }
}

/// The level of every question, given their types and marks in the order of the paper: low levels
/// go to objective types first, high ones to those that ask for working.
pub(super) fn levels(questions: &[(QuestionType, u32)], hardness: Hardness) -> Vec<Level> {
    let rank = |kind: QuestionType| match kind {
        QuestionType::VeryShort => 1,
        QuestionType::Short => 2,
        QuestionType::Numerical => 3,
        QuestionType::Long => 4,
        _ => 0,
    };
    let mut order: Vec<usize> = (0..questions.len()).collect();
    order.sort_by_key(|at| rank(questions[*at].0));
    let total: u32 = questions.iter().map(|(_, marks)| marks).sum();
    let [recall, apply, _] = level_percent(hardness).map(|percent| percent * total);
    let mut levels = vec![Level::Recall; questions.len()];
    let mut before = 0;
    for at in order {
        let marks = questions[at].1;
        // A question belongs where its middle lies; in hundredths of half a mark.
        let middle = (2 * before + marks) * 50;
        levels[at] = match middle {
            middle if middle <= recall => Level::Recall,
            middle if middle <= recall + apply => Level::Apply,
            _ => Level::Reason,
        };
        before += marks;
    }
    levels
}

/// The difficulty of every question of every part, from easy to difficult within a part. What a
/// part cannot meet, since its questions are too few, is carried over to the next.
pub(super) fn difficulties(parts: &[(u32, u32)], hardness: Hardness) -> Vec<Vec<Difficulty>> {
    let shares = difficulty_percent(hardness).map(|percent| f64::from(percent) / 100.0);
    let mut carried = [0.0; 3];
    let mut all = Vec::with_capacity(parts.len());
    for (count, each) in parts {
        let marks = f64::from(count * each);
        let wanted: [f64; 3] = std::array::from_fn(|at| shares[at] * marks + carried[at]);
        let counts = dealt(*count, wanted.map(|wanted| wanted / f64::from(*each)));
        for at in 0..3 {
            carried[at] = wanted[at] - f64::from(counts[at] * each);
        }
        let of = |at: usize| std::iter::repeat_n(Difficulty::ALL[at], counts[at] as usize);
        all.push((0..3).flat_map(of).collect());
    }
    all
}

/// Deals `count` one by one, each to the level that is furthest below its share.
fn dealt(count: u32, wanted: [f64; 3]) -> [u32; 3] {
    let mut counts = [0_u32; 3];
    for _ in 0..count {
        let short = |at: usize| wanted[at] - f64::from(counts[at]);
        let neediest = (0..3).reduce(|best, at| if short(at) > short(best) + 1e-9 { at } else { best });
        counts[neediest.unwrap_or(0)] += 1;
    }
    counts
}
