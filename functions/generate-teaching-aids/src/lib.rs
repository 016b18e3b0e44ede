//! Edge function generate-teaching-aids: worksheets, cards, games and other aids for one chapter
//! (SPECIFICATION.md GEN, DOM-6).
//!
//! The program decides which aids there are, how many items each has and where they stand; a model,
//! or the built-in bank, only fills text into slots. Pupils' pages come first, the teacher's
//! answers on a new page last.

/// The kinds of aids.
pub mod kind;

/// The teacher's request, in one form.
pub mod request;

/// Everything with a number in it.
pub mod plan;

/// The plan that fills the pages.
pub mod fit;

/// The slots.
pub mod content;

/// Built-in text by language.
pub mod words;

/// The built-in generator.
pub mod bank;

/// The slots filled by a model.
pub mod authoring;

/// Checks.
pub mod checks;

/// The structured document.
pub mod aids;

/// The printed page.
pub mod layout;

/// Estimates a document before it is made.
pub mod estimate;

/// The body of the answer.
pub mod response;

/// The tool that costs credits.
mod service;

pub use service::TeachingAids;
