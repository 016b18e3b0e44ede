//! Edge function generate-lesson-plan: a lesson plan for one chapter (SPECIFICATION.md GEN).
//!
//! The program decides structure and numbers; a model, or the built-in bank, only fills text into
//! named slots; the program checks every slot, lays the document out, and says how the text was
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

/// Checks and repairs.
pub mod checks;

/// The order of the parts.
pub mod order;

/// The structured document.
pub mod lesson;

/// The printed page.
pub mod layout;

/// Estimates a document before it is made.
pub mod estimate;

/// The body of the answer.
pub mod response;

/// The tool that costs credits.
mod service;

pub use service::LessonPlan;
