//! Limits that protect an account. They are counted in the database, for all nodes together.
//!
//! Requests of a client and mails of the project are counted by each node alone
//! ([`crate::rate_limit`]).

/// How many codes an address is sent.
pub(crate) mod otp_quota;

/// How often a code may be guessed.
pub(crate) mod otp_attempts;

/// How often a password may be guessed.
pub(crate) mod password_attempts;

/// How often a second factor may be guessed.
pub(crate) mod factor_attempts;
