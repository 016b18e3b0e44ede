//! What the bank knows, held against the rules that it was written by.

mod generators;

mod packs;
