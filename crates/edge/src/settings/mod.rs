//! What decides how functions run, besides their code: configuration, secrets, and the session of
//! `functions serve`.

/// The settings that hold now.
pub(crate) mod current;

/// What a function sees of its environment.
pub(crate) mod environment;

/// Secrets that are set while the stack runs.
pub(crate) mod secrets;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use banyan_config::{Config, Function, Hook};
use banyan_identity::Keyring;
use secrecy::{ExposeSecret, SecretString};

use self::environment::{Environment, Variables};

/// What `functions serve` asks for while it runs (CONTRACT.md G04, J08).
#[derive(Debug, Clone, Default)]
pub(crate) struct ServeSession {
    pub(crate) no_verify_jwt: bool,
    pub(crate) env: Variables,
}

impl ServeSession {
    /// Whether both ask for the same.
    pub(crate) fn equals(&self, other: &Self) -> bool {
        let same = |(one, other): ((&String, &SecretString), (&String, &SecretString))| {
            one.0 == other.0 && one.1.expose_secret() == other.1.expose_secret()
        };
        self.no_verify_jwt == other.no_verify_jwt
            && self.env.len() == other.env.len()
            && self.env.iter().zip(&other.env).all(same)
    }
}

/// One state of the settings. A change makes another state.
#[derive(Clone)]
pub(crate) struct Settings {
    /// Grows with each change.
    pub(crate) revision: u64,
    pub(crate) environment: Environment,
    policies: Arc<BTreeMap<String, Arc<Function>>>,
    /// Functions that auth calls before it acts.
    hooks: Arc<BTreeSet<String>>,
    secrets: Variables,
    pub(crate) session: ServeSession,
    /// The folder of sources. It tells a function that has only TypeScript from a missing one.
    pub(crate) functions: PathBuf,
    pub(crate) enabled: bool,
}

impl Settings {
    pub(crate) fn new(config: &Config, keyring: &Arc<Keyring>) -> Self {
        let policies = config.functions.iter();
        let hooks = config.auth.hooks.all().filter_map(|(_, hook)| match hook {
            Hook::Function { name } => Some(name.clone()),
            Hook::Postgres { .. } | Hook::Http { .. } => None,
        });
        Self {
            revision: 1,
            environment: Environment::new(config, keyring),
            policies: Arc::new(
                policies.map(|(name, policy)| (name.clone(), Arc::new(policy.clone()))).collect(),
            ),
            hooks: Arc::new(hooks.collect()),
            secrets: Variables::new(),
            session: ServeSession::default(),
            functions: config.paths.functions(),
            enabled: config.edge_runtime.enabled,
        }
    }

    /// The same settings with these secrets. Returns nothing if the secrets are the same.
    pub(crate) fn with_secrets(&self, read: &BTreeMap<String, String>) -> Option<Self> {
        let same = read.len() == self.secrets.len()
            && read.iter().all(|(name, value)| {
                self.secrets.get(name).is_some_and(|known| known.expose_secret() == value)
            });
        let secret = |(name, value): (&String, &String)| (name.clone(), SecretString::from(value.as_str()));
        let secrets = read.iter().map(secret).collect();
        (!same).then(|| Self { revision: self.revision + 1, secrets, ..self.clone() })
    }

    /// The same settings with another session of `functions serve`.
    pub(crate) fn with_session(&self, session: ServeSession) -> Self {
        Self { revision: self.revision + 1, session, ..self.clone() }
    }

    /// Another configuration, with the secrets and the session of these settings.
    pub(crate) fn with_config(&self, config: &Config, keyring: &Arc<Keyring>) -> Self {
        Self {
            revision: self.revision + 1,
            secrets: self.secrets.clone(),
            session: self.session.clone(),
            ..Self::new(config, keyring)
        }
    }

    /// The configured functions.
    pub(crate) fn policies(&self) -> impl Iterator<Item = (&String, &Arc<Function>)> {
        self.policies.iter()
    }

    pub(crate) fn is_disabled(&self, name: &str) -> bool {
        !self.enabled || self.policies.get(name).is_some_and(|policy| !policy.enabled)
    }

    /// Whether auth calls this function before it acts, so that sign-ins wait for it.
    pub(crate) fn is_hook(&self, name: &str) -> bool {
        self.hooks.contains(name)
    }

    /// How often the stack itself calls a function.
    pub(crate) fn schedule(&self, name: &str) -> Option<Duration> {
        let policy = self.policies.get(name).filter(|_| !self.is_disabled(name))?;
        Some(policy.schedule?.every)
    }

    /// The policy of a function. A deployed version may set its own `verify_jwt`, and `functions
    /// serve` has the last word.
    pub(crate) fn policy(&self, name: &str, verify_jwt: Option<bool>) -> Arc<Function> {
        let policy = self.policies.get(name).cloned().unwrap_or_default();
        let wanted = verify_jwt.unwrap_or(policy.verify_jwt) && !self.session.no_verify_jwt;
        if wanted == policy.verify_jwt {
            return policy;
        }
        Arc::new(Function { verify_jwt: wanted, ..Function::clone(&policy) })
    }

    /// The variables of a function.
    pub(crate) fn variables(
        &self,
        name: &str,
        version: u32,
        policy: &Function,
    ) -> Vec<(String, SecretString)> {
        self.environment.of(name, version, policy, [&self.secrets, &self.session.env])
    }
}
