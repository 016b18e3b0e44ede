//! Whether a request, and a document that a model wrote, may be shown to children
//! (SPECIFICATION.md GEN-8): by word lists always, and by a model where one is configured.

/// The second step: a model judges what word lists cannot see.
pub mod model;

/// The first step: word lists for harm.
pub mod rules;

/// The first step, for messages: what a message may not ask of its readers.
pub mod forbidden_requests;

/// Reads a text as its readers see it, look-alike letters included.
mod confusables;

/// How a text was judged, and what follows from it.
mod verdict;

pub use verdict::{Guidance, Verdict};
