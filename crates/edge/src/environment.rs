//! What a function sees of its environment, and nothing else (functions.md section 6, H08).

use std::{collections::BTreeMap, sync::Arc};

use banyan_config::{Config, Function};
use banyan_identity::Keyring;
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;

/// Variables that all functions of the project share.
pub(crate) struct Environment {
    shared: BTreeMap<String, SecretString>,
    keyring: Arc<Keyring>,
}

impl Environment {
    /// Addresses, keys and secrets of the project (V01 to V03, V05).
    pub(crate) fn new(config: &Config, keyring: &Arc<Keyring>) -> Self {
        let keys = &config.keys;
        let secret_keys = json!({"default": keys.secret_key.expose_secret()});
        let own = [
            ("SUPABASE_URL", config.api_url().to_owned()),
            ("SUPABASE_ANON_KEY", keys.anon_key.clone()),
            ("SUPABASE_SERVICE_ROLE_KEY", keys.service_role_key.expose_secret().to_owned()),
            ("SUPABASE_PUBLISHABLE_KEYS", json!({"default": keys.publishable_key}).to_string()),
            ("SUPABASE_SECRET_KEYS", secret_keys.to_string()),
            ("SB_REGION", "local".to_owned()),
        ];
        let mut shared = config.edge_runtime.secrets.clone();
        shared.extend(own.map(|(name, value)| (name.to_owned(), SecretString::from(value))));
        Self { shared, keyring: Arc::clone(keyring) }
    }

    /// The keys that tokens are checked by, as they are now: a rotation reaches functions without a restart (auth.md J7).
    pub(crate) fn keys(&self) -> Keys {
        Keys(Arc::clone(&self.keyring))
    }

    /// The variables of one function: its own win over secrets (V07), but not over the platform's (V05).
    pub(crate) fn of(&self, name: &str, function: &Function) -> Vec<(String, SecretString)> {
        let mut all = self.shared.clone();
        let own = function.env.iter().filter(|(name, _)| !is_reserved(name));
        all.extend(own.map(|(name, value)| (name.clone(), value.clone())));
        all.insert("SUPABASE_FUNCTION_SLUG".into(), SecretString::from(name));
        all.into_iter().collect()
    }
}

/// The variable that changes while the stack runs.
#[derive(Clone)]
pub(crate) struct Keys(Arc<Keyring>);

impl Keys {
    /// Name and value.
    pub(crate) fn variable(&self) -> (&'static str, String) {
        ("SUPABASE_JWKS", self.0.jwks())
    }
}

fn is_reserved(name: &str) -> bool {
    name.starts_with("SUPABASE_") || name.starts_with("SB_")
}
