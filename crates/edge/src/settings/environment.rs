//! What a function sees of its environment, and nothing else (CONTRACT.md V01 to V08, H08).

use std::{collections::BTreeMap, sync::Arc};

use banyan_config::{Config, DEMO_JWT_SECRET, Function};
use banyan_identity::Keyring;
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::secrets::is_reserved;

/// Variables by name.
pub(crate) type Variables = BTreeMap<String, SecretString>;

/// Variables that all functions of the project share.
#[derive(Clone)]
pub(crate) struct Environment {
    secrets: Variables,
    own: Variables,
    project: String,
    jwks: JwksVariable,
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
            jwks: JwksVariable {
                keyring: Arc::clone(keyring),
                is_demo: keys.jwt_secret.expose_secret() == DEMO_JWT_SECRET,
            },
        }
    }

    /// The keys that check tokens, as they are now: a rotation reaches functions without a restart
    /// (auth/CONTRACT.md J7).
    pub(crate) fn jwks(&self) -> JwksVariable {
        self.jwks.clone()
    }

    /// The variables of one function. Later ones win: the project's secrets, those set while the
    /// stack runs, the function's own (V07), those of `functions serve`. Variables of the platform
    /// cannot be changed (V05).
    pub(crate) fn of(
        &self,
        name: &str,
        version: u32,
        function: &Function,
        more: [&Variables; 2],
    ) -> Vec<(String, SecretString)> {
        let [set, served] = more;
        let mut all = Variables::default();
        for layer in [&self.secrets, set, &function.env, served] {
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

/// The variable whose value changes while the stack runs.
#[derive(Clone)]
pub(crate) struct JwksVariable {
    keyring: Arc<Keyring>,
    /// Whether the secret is the demo secret, which everybody knows.
    is_demo: bool,
}

impl JwksVariable {
    /// Name and value. Functions may pass the set on to others who check tokens. So it leaves out a
    /// secret of the project's own, because that also signs tokens.
    pub(crate) fn variable(&self) -> (String, String) {
        let set = if self.is_demo { self.keyring.jwks() } else { self.keyring.public_jwks().to_string() };
        ("SUPABASE_JWKS".to_owned(), set)
    }
}

/// The id of a function: a UUID made of its name alone, so that it is the same on every machine.
pub(crate) fn function_id(name: &str) -> uuid::Uuid {
    let digest = Sha256::digest(name);
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value that functions of a project with these settings of `[auth]` read.
    fn set(auth: &str) -> serde_json::Value {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("supabase")).expect("made");
        std::fs::write(folder.path().join("supabase/config.toml"), format!("[auth]\n{auth}\n"))
            .expect("written");
        let loaded = banyan_config::load(folder.path(), banyan_config::Environment::of([]), 0);
        let config = loaded.expect("read").config;
        let keyring = Arc::new(Keyring::new(&config.keys).expect("keys that sign"));
        let (name, value) = Environment::new(&config, &keyring).jwks().variable();
        assert_eq!(name, "SUPABASE_JWKS");
        serde_json::from_str(&value).expect("JSON")
    }

    // rows: V03 server/GW-JWKS
    #[test]
    fn a_secret_of_the_projects_own_is_not_handed_to_functions_as_a_key() {
        let kinds = |set: &serde_json::Value| {
            let keys = set["keys"].as_array().expect("keys").iter();
            keys.map(|key| key["kty"].as_str().expect("a type").to_owned()).collect::<Vec<_>>()
        };
        let own = set("jwt_secret = \"0123456789abcdef0123456789abcdef0123\"");
        assert_eq!(kinds(&own), ["EC"], "public parts alone");
        assert_eq!(
            kinds(&set("")),
            ["EC", "oct"],
            "what everybody knows is told, as the local stack of the reference does"
        );
    }
}
