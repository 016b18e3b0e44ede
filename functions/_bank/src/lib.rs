//! Knowledge of the generate functions without a model (SPECIFICATION.md GEN-11): subjects,
//! chapters and facts. It knows no request, no layout and no function; it opens nothing and calls
//! nobody.

/// Subject families, board conventions, age bands.
pub mod subjects;

/// The boards of the forms.
pub mod boards;

/// The files that all of this is read from.
mod data;

/// Chapter titles.
pub mod catalogue;

/// The parts that chapters and documents are made of.
pub mod parts;

/// Sums repeated by our own evaluator (V14).
pub mod arithmetic;

/// Units of answers (V15).
pub mod units;

/// Chapter packs.
pub mod packs;

/// Exact numbers and how they are written.
pub mod numbers;

/// Questions worked out by rule, with exact answers.
pub mod generators;

/// Tasks that fit any chapter.
pub mod tasks;
