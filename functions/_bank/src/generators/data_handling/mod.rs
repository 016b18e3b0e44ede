//! Statistics and probability.

/// The arithmetic mean.
pub(super) mod mean;

/// The median.
pub(super) mod median;

/// The mode.
pub(super) mod mode;

/// The probability of a colour.
pub(super) mod probability_of_ball;

/// The probability of a multiple on a numbered card.
pub(super) mod probability_of_multiple;

/// The probability that an event does not happen.
pub(super) mod probability_of_complement;

/// The probability of a number on one die.
pub(super) mod probability_of_die;

/// The probability of a sum on two dice.
pub(super) mod probability_of_two_dice;

/// The probability of heads with two or three coins.
pub(super) mod probability_of_heads;

/// The probability of a playing card.
pub(super) mod probability_of_card;

use super::draft::{Answer, Draft};
use crate::numbers::Rational;

/// A question on outcomes that are listed; their number is reckoned beside it. Nothing where none
/// or all are meant.
fn counted(listed: &[String], count: i64, all: i64, wrong: &[(&'static str, Rational)]) -> Option<Draft> {
    if count <= 0 || count >= all {
        return None;
    }
    let p = Rational::new(count, all);
    let draft = Draft::new(Answer::number(p))
        .step(1, format!("{}: {count}", listed.join(", ")))
        .step(1, format!("P = {count} ÷ {all} = {p}"))
        .wrong_numbers(wrong)
        .wrong_numbers(&[
            ("complement", Rational::new(all - count, all)),
            ("one-of-all", Rational::new(1, all)),
            ("against-for-of", Rational::new(count, all - count)),
        ])
        .proof(format!("({p}) × {all}"), listed.len());
    Some(draft)
}
