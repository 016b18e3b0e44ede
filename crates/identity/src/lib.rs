//! Says who is calling: API keys, checking and signing tokens, the value [`Caller`].
//!
//! Knows nothing of services, of HTTP beyond the two headers that carry a key or a token, or of the database.
//! Source: server/CONTRACT.md GW-KEYS, GW-TOKENS; config/CONTRACT.md CFG-KEYS; rest/CONTRACT.md T01
//! to T27.

/// The caller of one request: role and claims.
pub mod caller;

/// From the headers `apikey` and `Authorization` to a caller.
pub mod api_keys;

/// The claims of a checked token.
pub mod claims;

/// Keys that sign and verify, and the tokens already checked.
pub mod keyring;

/// New signing keys.
mod new_key;

/// Checks tokens by the keys that one configuration names.
pub mod verifier;

/// Time as a value that is handed down.
pub mod clock;

/// Ids of requests and runs.
mod id;

/// Who is at the other end of a request.
mod peer;

/// Why a token or a key was refused.
mod error;

pub use api_keys::{ApiKeys, Credentials};
pub use caller::{Caller, Identified, Proof};
pub use claims::Claims;
pub use clock::Clock;
pub use error::{KeyError, TokenError};
pub use id::new_id;
pub use keyring::{Keyring, Misfit, misfits};
pub use new_key::NewKey;
pub use peer::Peer;
/// The system's randomness, for new keys.
pub use rsa::rand_core::OsRng;
pub use verifier::Verifier;
