//! Edge function generate-communication: a group message, an invitation to a meeting, or a circular
//! of a school (SPECIFICATION.md GEN, DOM-7).
//!
//! Facts belong to the program: date and weekday, names, times, sums and everything in the key
//! details are printed as they were typed, each once. A model, or the built-in sentences, only fill
//! the text around them.

/// The teacher's request, in one form.
pub mod request;

/// The subject.
pub mod purpose;

/// The readers.
pub mod audience;

/// The rows of a line that was typed.
pub mod rows;

/// The facts that were typed.
pub mod details;

/// The day of the event among them.
mod typed_day;

/// The row of the day of the event.
mod day_row;

/// Built-in text by language.
pub mod words;

/// The slots.
pub mod content;

/// The built-in generator.
pub mod bank;

/// The slots filled by a model.
pub mod authoring;

/// Checks.
pub mod checks;

/// The structured document.
pub mod message;

/// The printed page, and the text to paste.
pub mod layout;

/// Estimates a document before it is made.
pub mod estimate;

/// The body of the answer.
pub mod response;

/// The tool that costs credits.
mod service;

pub use service::Communication;
