//! The SQL of schema `auth`, a file for each table. Columns that seeds leave NULL are read as
//! absent (CONTRACT.md Z3).

pub(crate) mod account_origins;
pub(crate) mod audit;
pub(crate) mod challenges;
pub(crate) mod code_clients;
pub(crate) mod columns;
pub(crate) mod external_identities;
pub(crate) mod factor_attempts;
pub(crate) mod factors;
pub(crate) mod flow_states;
pub(crate) mod housekeeping;
pub(crate) mod identities;
pub(crate) mod oauth_clients;
pub(crate) mod one_time_tokens;
pub(crate) mod passkeys;
pub(crate) mod password_attempts;
pub(crate) mod passwords;
pub(crate) mod pending_links;
pub(crate) mod pipelines;
pub(crate) mod refresh_tokens;
pub(crate) mod sessions;
pub(crate) mod soft_deletion;
pub(crate) mod times;
pub(crate) mod users;
pub(crate) mod webauthn_challenges;
