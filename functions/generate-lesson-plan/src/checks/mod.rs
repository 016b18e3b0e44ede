//! Checks on the text in the slots (generation.md 7). Sums, counts and minutes cannot be wrong, since the
//! plan computes them; these look at what was written.

/// Sums repeated by our own evaluator (V14).
pub mod arithmetic;

/// Cleaning that needs no second try (V16, V17).
pub mod cleaning;

/// Rules for one slot.
pub mod rules;

/// A rule that a text breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The check's id, such as `V14`.
    pub id: &'static str,
    /// What is wrong, in words that a model can act on.
    pub problem: String,
}

impl Finding {
    /// A finding.
    pub fn new(id: &'static str, problem: impl Into<String>) -> Self {
        Self { id, problem: problem.into() }
    }

    /// Whether a document must not be delivered with it; the others are wishes.
    pub fn blocks(&self) -> bool {
        !matches!(self.id, "V10" | "V11" | "V13")
    }
}
