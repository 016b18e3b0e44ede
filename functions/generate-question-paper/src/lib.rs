//! Edge function generate-question-paper: a question paper with answer key, marking scheme and
//! blueprint for one chapter (SPECIFICATION.md GEN, DOM-3 to DOM-5).
//!
//! The program decides structure and numbers; a model, or the built-in bank, only fills text into
//! numbered slots; the program checks every slot, lays the document out, and says how the text was
//! made.

/// The teacher's request, in one form.
pub mod request;

/// Everything with a number in it.
pub mod plan;

/// The slots.
pub mod content;

/// Built-in text by language.
pub mod words;

/// The built-in generator.
pub mod bank;

/// The slots filled by a model.
pub mod authoring;

/// Orders drawn by the seed.
mod shuffling;

/// Checks.
pub mod checks;

/// The structured document.
pub mod paper;

/// The text above the questions, from the plan.
mod instructions;

/// The table of specification.
mod blueprint;

/// The printed page.
pub mod layout;

/// Estimates a document before it is made.
pub mod estimate;

/// The body of the answer.
pub mod response;

/// The tool that costs credits.
mod service;

pub use service::QuestionPaper;
