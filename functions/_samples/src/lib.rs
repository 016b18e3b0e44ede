//! Reads a sample that a teacher uploaded (SPECIFICATION.md GEN-5.3). The file comes from a
//! stranger, so every step of reading it is counted against a limit.

/// What the built-in generators take from a sample: headings, sections, kinds of questions.
mod structure;

/// A sample as data for a model.
mod fence;

/// Whether a text repeats a sample.
mod copies;

/// The sample that a request names.
mod fetch;

/// From the bytes of a file to its text.
mod read;

/// DOCX files.
mod docx;

/// PDF files.
mod pdf;

/// Whether the letters of a file came out right.
mod legibility;

/// The text of a sample, line by line.
mod text;

/// How much of a file is read, and how much work it may cause.
mod limits;

/// Why a sample cannot be used, in words for a teacher.
mod error;

pub use copies::Copies;
pub use error::SampleError;
pub use fence::fenced;
pub use fetch::sample_of;
pub use limits::Limits;
pub use read::text_of;
pub use structure::{
    QuestionGroup, QuestionKind, SampleHeading, SampleSection, SampleStructure, section_name, structure,
};
pub use text::{Line, SampleKind, SampleText};
