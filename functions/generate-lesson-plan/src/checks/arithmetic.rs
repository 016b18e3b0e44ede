//! The bank's evaluator as a check of its own (V14).

use banyan_bank::arithmetic;
use banyan_bank::parts::{Check, Qa};
use banyan_functions::checks::Finding;

/// A finding for every sum that is wrong, or whose value the answer does not name.
pub fn check_all<'a>(questions: impl Iterator<Item = &'a Qa>) -> Vec<Finding> {
    arithmetic::check_all(questions).into_iter().map(|problem| Finding::new("V14", problem)).collect()
}

/// The finding for one sum, where there is one.
pub fn check_one(check: &Check, answer: &str) -> Option<Finding> {
    arithmetic::check_one(check, answer).map(|problem| Finding::new("V14", problem))
}
