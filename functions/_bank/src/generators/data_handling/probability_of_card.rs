//! The probability of a playing card.

use crate::generators::Generator;
use crate::generators::draft::{Answer, Draft};
use crate::generators::draw::Draw;
use crate::numbers::Rational;
use crate::subjects::Family;

pub(in crate::generators) const GENERATOR: Generator = Generator {
    id: "probability-of-card",
    family: Family::Mathematics,
    classes: 10..=10,
    marks: 1..=2,
    topics: &["probability", "chance"],
    draft,
};

/// What is drawn, and of how many suits and of how many cards in each.
const EVENTS: [(&str, i64, i64); 8] = [
    ("a king", 4, 1),
    ("a face card", 4, 3),
    ("a red card", 2, 13),
    ("a diamond", 1, 13),
    ("a red king", 2, 1),
    ("a black face card", 2, 3),
    ("an ace or a king", 4, 2),
    ("a face card of diamonds", 1, 3),
];

fn draft(draw: &mut Draw<'_>) -> Option<Draft> {
    let (event, suits, cards) = draw.one_of(&EVENTS);
    let count = suits * cards;
    let p = Rational::new(count, 52);
    let draft = Draft::new(Answer::number(p))
        .place("event", event)
        .step(1, format!("{suits} × {cards} = {count}"))
        .step(1, format!("P = {count} ÷ 52 = {p}"))
        .wrong_numbers(&[
            ("one-suit-only", Rational::new(cards, 52)),
            ("against-for-of", Rational::new(count, 52 - count)),
            ("complement", Rational::new(52 - count, 52)),
            ("one-of-all", Rational::new(1, 52)),
        ])
        .proof(format!("1 − (52 − {suits} × {cards})/52"), p);
    Some(draft)
}
