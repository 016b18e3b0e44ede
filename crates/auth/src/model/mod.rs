//! Plain values that the layers above hand to each other.

/// What is done once the transaction of a request is committed.
pub(crate) mod after_commit;

/// What users do, as the audit log names it.
pub(crate) mod audit_event;

/// What a request knows of the accounts that it makes.
pub(crate) mod created_accounts;

/// Kinds of second factors.
pub(crate) mod factor_kind;

/// Keyed hashes.
pub(crate) mod keyed_hash;
