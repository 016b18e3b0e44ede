//! What a function sees of its environment, and nothing else (functions.md section 6, H08).

use std::{collections::BTreeMap, sync::Arc};

use banyan_config::{Config, Function};
use banyan_identity::Keyring;
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::secrets::is_reserved;

/// Variables by name.
pub(crate) type Variables = BTreeMap<String, SecretString>;

/// Variables that all functions of the project share.
#[derive(Clone)]
pub(crate) struct Environment {
    secrets: Variables,
    own: Variables,
    project: String,
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
            ("SUPABASE_DB_URL", config.database.address().expose_secret().to_owned()),
            ("SUPABASE_PUBLISHABLE_KEYS", json!({"default": keys.publishable_key}).to_string()),
            ("SUPABASE_SECRET_KEYS", secret_keys.to_string()),
            ("SB_REGION", "local".to_owned()),
        ];
        Self {
            secrets: config.edge_runtime.secrets.clone(),
            own: own.map(|(name, value)| (name.to_owned(), SecretString::from(value))).into(),
            project: config.project_id.clone(),
            keyring: Arc::clone(keyring),
        }
    }

    /// The keys that tokens are checked by, as they are now: a rotation reaches functions without a restart (auth.md J7).
    pub(crate) fn keys(&self) -> Keys {
        Keys(Arc::clone(&self.keyring))
    }

    /// The variables of one function. Later ones win: the project's secrets, those set while it runs, the function's
    /// own (V07), those of a `functions serve`; the platform's cannot be changed (V05).
    pub(crate) fn of(
        &self,
        name: &str,
        version: u32,
        function: &Function,
        more: [&Variables; 2],
    ) -> Vec<(String, SecretString)> {
        let [set, served] = more;
        let mut all = self.secrets.clone();
        for layer in [set, &function.env, served] {
            let allowed = layer.iter().filter(|(name, _)| !is_reserved(name));
            all.extend(allowed.map(|(name, value)| (name.clone(), value.clone())));
        }
        all.extend(self.own.iter().map(|(name, value)| (name.clone(), value.clone())));
        all.insert("SUPABASE_FUNCTION_SLUG".into(), SecretString::from(name));
        let deployment = format!("{}_{}_{version}", self.project, function_id(name));
        all.insert("DENO_DEPLOYMENT_ID".into(), SecretString::from(deployment));
        all.into_iter().collect()
    }
}

/// The variable that changes while the stack runs.
#[derive(Clone)]
pub(crate) struct Keys(Arc<Keyring>);

impl Keys {
    /// Name and value.
    pub(crate) fn variable(&self) -> (String, String) {
        ("SUPABASE_JWKS".to_owned(), self.0.jwks())
    }
}

/// The id of a function: a UUID that its name alone decides, so that it stays the same on every machine.
pub(crate) fn function_id(name: &str) -> uuid::Uuid {
    let digest = Sha256::digest(name);
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}
