//! Says who is calling: API keys, checking and signing tokens, the value [`Caller`].
//!
//! Knows nothing of services, of the database, or of HTTP beyond the headers and the query that
//! carry a key or a token. Source: server/CONTRACT.md GW-KEYS, GW-TOKENS; config/CONTRACT.md
//! CFG-KEYS; rest/CONTRACT.md T01 to T27.

/// Keys of a configuration that cannot work.
mod key_problems;

/// From credentials to a caller.
pub mod verifier;

/// Tokens for one purpose, such as a signed URL.
mod purpose_token;

/// The project's API keys, and what each stands for.
mod api_keys;

/// What a request presents to say who calls.
mod credentials;

/// The caller of one request: role and claims.
mod caller;

/// Keys that sign and verify.
mod keyring;

/// The claims of a checked token.
mod claims;

/// New signing keys.
mod new_key;

/// Time as a value that is handed down.
pub mod clock;

/// Ids of requests and runs.
mod id;

/// Who is at the other end of a request.
mod peer;

/// Why a token or a key was refused.
mod error;

/// Keys and tokens for tests.
#[cfg(test)]
mod test_keys;

pub use api_keys::ApiKeys;
pub use caller::{Caller, Identified, Proof};
pub use claims::Claims;
pub use clock::Clock;
pub use credentials::Credentials;
pub use error::{KeyError, TokenError};
pub use id::new_id;
pub use key_problems::{KeyProblem, key_problems};
pub use keyring::Keyring;
pub use new_key::NewKey;
pub use peer::Peer;
pub use purpose_token::{Purpose, PurposeToken};
/// The system's randomness, for new keys.
pub use rsa::rand_core::OsRng;
pub use verifier::{Verifier, VerifierPolicy};
