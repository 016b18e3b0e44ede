//! Keys and tokens for tests.

use std::sync::Arc;

use secrecy::SecretString;
use serde_json::{Value, json};
use time::{OffsetDateTime, macros::datetime};

use crate::{ApiKeys, Keyring, NewKey, OsRng, Verifier, VerifierPolicy};

pub(crate) const NOW: OffsetDateTime = datetime!(2026-01-01 12:00 UTC);

/// The keys of a project that sets none.
pub(crate) fn demo_keys() -> banyan_config::Keys {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("supabase")).expect("created");
    std::fs::write(folder.path().join("supabase/config.toml"), "").expect("written");
    banyan_config::load(folder.path(), banyan_config::Environment::of([]), 0).expect("defaults").config.keys
}

pub(crate) fn keyring() -> Keyring {
    Keyring::new(&demo_keys()).expect("the demo keys work")
}

/// The verifier of a gateway with these keys.
pub(crate) fn gateway(keys: &banyan_config::Keys) -> Verifier {
    let keyring = Arc::new(Keyring::new(keys).expect("usable keys"));
    Verifier::new(keyring, VerifierPolicy::of_gateway(ApiKeys::new(keys, false)))
}

/// The token of a signed-in user.
pub(crate) fn user_token(keyring: &Keyring, exp: OffsetDateTime) -> String {
    let claims = json!({
        "sub": "5f0c8e1e-0000-4000-8000-000000000001",
        "role": "authenticated",
        "exp": exp.unix_timestamp(),
    });
    keyring.sign(&claims).expect("signed")
}

/// Keys of a project that signs with its own.
pub(crate) fn keys_of(list: &[Value]) -> banyan_config::Keys {
    let mut keys = demo_keys();
    keys.signing_keys = list.iter().map(|key| SecretString::from(key.to_string())).collect();
    keys.own_signing_keys = true;
    keys
}

pub(crate) fn new_key(kind: NewKey, id: u128) -> Value {
    kind.make(uuid::Uuid::from_u128(id), &mut OsRng).expect("a key")
}
