//! Checks on the text in the slots (SPECIFICATION.md GEN-7). Sums, counts and minutes cannot be
//! wrong, since the plan computes them; these look at what was written.

/// Sums repeated by our own evaluator (V14).
pub mod arithmetic;

/// Rules for one slot.
pub mod rules;

/// How long its parts may be.
mod length;
