//! `/upload`: uploads that can be resumed.

/// `/upload/resumable` and `/upload/resumable/sign`: TUS 1.0.0.
pub(crate) mod resumable;
