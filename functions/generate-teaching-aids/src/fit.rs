//! Finds the plan whose document has the requested number of pages (V22). The bank's text shows how
//! long a plan becomes, and a model is asked for about that length. If the model's text is longer
//! by more than a page, the bank's text replaces it.

use banyan_functions::document::page_count::pages;
use banyan_functions::metadata::Remarks;
use banyan_functions::sanitise::visible_length;

use crate::aids::assemble;
use crate::bank;
use crate::checks::texts;
use crate::content::{AidText, Content};
use crate::layout::lay_out;
use crate::plan::Plan;
use crate::request::AidsRequest;
use crate::words::Words;

/// How full the room may be, in percent; the usual first.
const PERCENTS: [usize; 9] = [100, 115, 130, 150, 175, 85, 70, 55, 40];

/// Variations around the best of them, in percent: a question or two.
const STEPS: [isize; 6] = [0, 4, 8, 12, -4, -8];

/// How full the last page is at best: neither begun in vain nor about to overflow.
const LAST_PAGE: f64 = 0.6;

/// Plans a request. Where even the fewest items need more than a page too many, the plan says that
/// it is crowded.
pub fn plan(request: &AidsRequest, words: &Words) -> Plan {
    let usual = Plan::of(request);
    let asked = f64::from(request.pages);
    let filled = filled(request, &usual, words);
    let mut best = if filled.ceil() == asked {
        (usual, filled)
    } else {
        let goal = asked - 1.0 + LAST_PAGE;
        let (_, percent, _) = nearest(request, words, goal, &PERCENTS);
        let (plan, _, filled) =
            nearest(request, words, goal, &STEPS.map(|step| percent.saturating_add_signed(step)));
        (plan, filled)
    };
    best.0.crowded |= best.1.ceil() > asked + 1.0;
    best.0
}

/// The plan, of those with so many percent of the room, whose pages come nearest to a goal, with
/// its percent and its pages.
fn nearest(request: &AidsRequest, words: &Words, goal: f64, percents: &[usize]) -> (Plan, usize, f64) {
    let tried = percents.iter().map(|percent| {
        let plan = Plan::with(request, *percent);
        let filled = filled(request, &plan, words);
        (plan, *percent, filled)
    });
    let distance = |filled: f64| (filled - goal).abs();
    tried
        .min_by(|(_, _, one), (_, _, other)| distance(*one).total_cmp(&distance(*other)))
        .expect("several are tried")
}

/// Chooses the aids of a model that are replaced by built-in ones, so that the document is at most
/// a page longer than requested, or than the built-in aids need. The aids that exceed their
/// built-in ones most come first.
pub fn giving_way(
    request: &AidsRequest,
    plan: &Plan,
    words: &Words,
    written: &[AidText],
    spare: &[AidText],
) -> Vec<usize> {
    let length = |aids: &[AidText]| {
        let content = Content { aids: aids.to_vec(), coverage: 1.0 };
        printed(request, plan, words, content).ceil()
    };
    let most = f64::from(request.pages + 1).max(length(spare));
    let excess = |at: &usize| letters(&written[*at]) - letters(&spare[*at]);
    let mut longest: Vec<usize> = (0..written.len()).collect();
    longest.sort_by_key(|at| std::cmp::Reverse(excess(at)));
    let mut aids = written.to_vec();
    let mut gives_way = |at: &usize| {
        let too_long = length(&aids) > most;
        aids[*at].clone_from(&spare[*at]);
        too_long
    };
    longest.into_iter().take_while(|at| gives_way(at)).collect()
}

fn letters(text: &AidText) -> isize {
    let letters: usize = texts(text).into_iter().map(visible_length).sum();
    letters.cast_signed()
}

/// The pages of a plan, the last one in part.
fn filled(request: &AidsRequest, plan: &Plan, words: &Words) -> f64 {
    printed(request, plan, words, bank::fill(request, plan, words, 0))
}

fn printed(request: &AidsRequest, plan: &Plan, words: &Words, content: Content) -> f64 {
    let aids = assemble(request, plan, words, content, Remarks::default());
    pages(&lay_out(&aids, words, request.language, "", 0))
}
