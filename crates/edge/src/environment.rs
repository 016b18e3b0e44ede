//! What a function sees of its environment, and nothing else (functions.md section 6, H08).

use std::collections::BTreeMap;

use banyan_config::{Config, Function};
use banyan_identity::Keyring;
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;

/// Variables that all functions of the project share.
pub(crate) struct Environment {
    shared: BTreeMap<String, SecretString>,
}

impl Environment {
    /// Addresses, keys and secrets of the project (V01 to V03, V05).
    pub(crate) fn new(config: &Config, keyring: &Keyring) -> Self {
        let keys = &config.keys;
        let secret_keys = json!({"default": keys.secret_key.expose_secret()});
        let own = [
            ("SUPABASE_URL", config.api_url().to_owned()),
            ("SUPABASE_ANON_KEY", keys.anon_key.clone()),
            ("SUPABASE_SERVICE_ROLE_KEY", keys.service_role_key.expose_secret().to_owned()),
            ("SUPABASE_PUBLISHABLE_KEYS", json!({"default": keys.publishable_key}).to_string()),
            ("SUPABASE_SECRET_KEYS", secret_keys.to_string()),
            ("SUPABASE_JWKS", keyring.jwks().to_owned()),
            ("SB_REGION", "local".to_owned()),
        ];
        let mut shared = config.edge_runtime.secrets.clone();
        shared.extend(own.map(|(name, value)| (name.to_owned(), SecretString::from(value))));
        Self { shared }
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

fn is_reserved(name: &str) -> bool {
    name.starts_with("SUPABASE_") || name.starts_with("SB_")
}
