//! How much of the paper each type gets, and which section it stands in (SPECIFICATION.md DOM-4.1.1
//! to DOM-4.1.3).

use super::QuestionType;
use crate::request::Hardness;

/// A type in a section, with its share of the marks; the shares of a paper add up to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Share {
    pub(super) section: usize,
    pub(super) kind: QuestionType,
    pub(super) share: f64,
}

/// Cost of objective and written types in one section, in squares of shares.
const MIXTURE: f64 = 0.03;

/// The shares of the ticked types, which are in order and each there once.
pub(super) fn shares(types: &[QuestionType], sections: usize, hardness: Hardness, class: u8) -> Vec<Share> {
    let weights = weights(types, hardness, class);
    let total: f64 = weights.iter().sum();
    let of = |at: usize| weights[at] / total;
    if types.len() < sections { split(types, sections, of) } else { grouped(types, sections, of) }
}

fn weights(types: &[QuestionType], hardness: Hardness, class: u8) -> Vec<f64> {
    let mut weights: Vec<f64> = types.iter().map(|kind| kind.weight() * factor(*kind, hardness)).collect();
    let sum = |weights: &[f64], wanted: &dyn Fn(QuestionType) -> bool| -> f64 {
        types.iter().zip(weights).filter(|(kind, _)| wanted(**kind)).map(|(_, weight)| weight).sum()
    };
    let objective = |kind: QuestionType| kind.is_objective();
    let long = |kind: QuestionType| kind == QuestionType::Long;
    let working = |kind: QuestionType| matches!(kind, QuestionType::Long | QuestionType::Numerical);
    match class {
        1..=5 => shift(types, &mut weights, sum, 0.5, &long, &objective),
        11.. => shift(types, &mut weights, sum, 0.25, &objective, &working),
        _ => {}
    }
    weights
}

/// Moves a part of the weight of some types to others, by their weights; nothing where one side is
/// missing.
fn shift(
    types: &[QuestionType],
    weights: &mut [f64],
    sum: impl Fn(&[f64], &dyn Fn(QuestionType) -> bool) -> f64,
    part: f64,
    from: &dyn Fn(QuestionType) -> bool,
    to: &dyn Fn(QuestionType) -> bool,
) {
    let (given, taken) = (sum(weights, from) * part, sum(weights, to));
    if given == 0.0 || taken == 0.0 {
        return;
    }
    for (kind, weight) in types.iter().zip(weights) {
        if from(*kind) {
            *weight *= 1.0 - part;
        } else if to(*kind) {
            *weight += given * *weight / taken;
        }
    }
}

fn factor(kind: QuestionType, hardness: Hardness) -> f64 {
    use QuestionType::{Fill, Long, Match, Mcq, Numerical, Short, TrueFalse, VeryShort};
    let (objective, very_short, short, numerical, long) = match hardness {
        Hardness::Easy => (1.5, 1.2, 0.9, 0.8, 0.6),
        Hardness::Hard => (0.7, 0.8, 1.1, 1.3, 1.3),
        Hardness::Medium | Hardness::Mixed => (1.0, 1.0, 1.0, 1.0, 1.0),
    };
    match kind {
        Mcq | Fill | TrueFalse | Match => objective,
        VeryShort => very_short,
        Short => short,
        Numerical => numerical,
        Long => long,
    }
}

/// Fewer types than sections: the heaviest is split, again and again.
fn split(types: &[QuestionType], sections: usize, of: impl Fn(usize) -> f64) -> Vec<Share> {
    let mut pieces = vec![1_u32; types.len()];
    for _ in types.len()..sections {
        let heaviest = (0..types.len()).reduce(|best, at| {
            let weight = |at: usize| of(at) / f64::from(pieces[at]);
            if weight(at) > weight(best) { at } else { best }
        });
        pieces[heaviest.unwrap_or(0)] += 1;
    }
    let each = |at: usize| {
        let share = of(at) / f64::from(pieces[at]);
        (0..pieces[at]).map(move |_| (types[at], share))
    };
    let all = (0..types.len()).flat_map(each);
    all.enumerate().map(|(section, (kind, share))| Share { section, kind, share }).collect()
}

/// As many types as sections or more: neighbours share a section, as evenly as can be.
fn grouped(types: &[QuestionType], sections: usize, of: impl Fn(usize) -> f64) -> Vec<Share> {
    let mut best: Option<(f64, u32)> = None;
    // A cut stands behind the type of each bit; at most 7 places, so at most 128 ways.
    for cuts in 0..1_u32 << (types.len() - 1) {
        if cuts.count_ones() as usize + 1 != sections {
            continue;
        }
        let cost = unevenness(types, sections, cuts, &of);
        let better = best.is_none_or(|(least, chosen)| {
            cost < least - 1e-12 || (cost < least + 1e-12 && cuts.trailing_zeros() < chosen.trailing_zeros())
        });
        if better {
            best = Some((cost, cuts));
        }
    }
    let cuts = best.map_or(0, |(_, cuts)| cuts);
    let section = |at: usize| (cuts & ((1 << at) - 1)).count_ones() as usize;
    types
        .iter()
        .enumerate()
        .map(|(at, kind)| Share { section: section(at), kind: *kind, share: of(at) })
        .collect()
}

fn unevenness(types: &[QuestionType], sections: usize, cuts: u32, of: &impl Fn(usize) -> f64) -> f64 {
    let (mut cost, mut sum, mut start) = (0.0, 0.0, 0);
    let even = 1.0 / sections as f64;
    for at in 0..types.len() {
        sum += of(at);
        if at + 1 == types.len() || cuts & (1 << at) != 0 {
            cost += (sum - even) * (sum - even);
            if types[start].is_objective() != types[at].is_objective() {
                cost += MIXTURE;
            }
            (sum, start) = (0.0, at + 1);
        }
    }
    cost
}
