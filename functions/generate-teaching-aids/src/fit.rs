//! The plan whose document has the pages that were asked for (V22). How long a plan's text becomes is seen from the bank's,
//! which a model's is asked to be like.

use banyan_functions::document::pages::pages;
use banyan_functions::record::Remarks;

use crate::aids::assemble;
use crate::bank;
use crate::layout::lay_out;
use crate::plan::Plan;
use crate::request::AidsRequest;
use crate::words::Words;

/// How full the room may be, in percent; the usual first.
const PERCENTS: [usize; 9] = [100, 115, 130, 150, 175, 85, 70, 55, 40];

/// How full the last page is at best: neither begun in vain nor about to overflow.
const LAST_PAGE: f64 = 0.6;

/// Plans a request. Where even the fewest items need more than a page too many, the plan says that it is crowded.
pub fn plan(request: &AidsRequest, words: &Words) -> Plan {
    let usual = Plan::of(request);
    let asked = f64::from(request.pages);
    let filled = filled(request, &usual, words);
    let mut best = if filled.ceil() == asked {
        (usual, filled)
    } else {
        let tried = PERCENTS.into_iter().map(|percent| {
            let plan = Plan::with(request, percent);
            let filled = self::filled(request, &plan, words);
            (plan, filled)
        });
        let goal = asked - 1.0 + LAST_PAGE;
        tried
            .min_by(|(_, one), (_, other)| (one - goal).abs().total_cmp(&(other - goal).abs()))
            .expect("several are tried")
    };
    best.0.crowded |= best.1.ceil() > asked + 1.0;
    best.0
}

/// The pages of a plan, the last one in part.
fn filled(request: &AidsRequest, plan: &Plan, words: &Words) -> f64 {
    let content = bank::fill(request, plan, words, 0);
    let aids = assemble(request, plan, words, content, Remarks::default());
    pages(&lay_out(&aids, words, request.language, "", 0))
}
