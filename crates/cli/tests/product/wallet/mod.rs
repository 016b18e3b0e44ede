//! The life of a deduction (app/SPECIFICATION.md D01 to D10).

mod claims;
mod limits;
mod lost_answers;
mod order;
mod replays;
mod returns;
mod twins;
