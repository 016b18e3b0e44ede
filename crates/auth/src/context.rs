use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use axum::extract::FromRef;
use banyan_config::{Auth, Config, Keys};
use banyan_db::{Database, Login, OwnDatabase};
use banyan_identity::Keyring;
use banyan_mail::MailQueue;
use rand::{RngCore, rngs::StdRng};
use secrecy::SecretString;
use sqlx::PgPool;
use tokio::sync::Semaphore;

use crate::{
    mails::{Mails, TemplateError},
    model::keyed_hash::HashKey,
    outbound::{FunctionCall, Outbound},
    passwords::Passwords,
    providers::Providers,
    rate_limit::Limits,
    wire::error::AuthError,
};

/// Most answers that run on without their client at one time, and most tasks after a commit. Others
/// wait.
pub(crate) const MAX_DETACHED: u32 = 64;

/// What every request works with: settings, pool, keys and queues.
pub(crate) struct ServiceContext {
    /// For tasks that outlive their request.
    pub(crate) weak_self: Weak<ServiceContext>,
    pub(crate) settings: Auth,
    pub(crate) pool: PgPool,
    /// Permits for answers that run on without their client.
    pub(crate) detached: Arc<Semaphore>,
    /// Permits for tasks after a commit.
    pub(crate) after_commit_permits: Semaphore,
    /// For the most frequent statements: see `store::pipelines`.
    pub(crate) database: OwnDatabase,
    pub(crate) keyring: Arc<Keyring>,
    pub(crate) mail: MailQueue,
    pub(crate) mails: Mails,
    pub(crate) limits: Limits,
    pub(crate) passwords: Passwords,
    pub(crate) providers: Providers,
    pub(crate) outbound: Outbound,
    /// Calls functions of the project, if there are any.
    pub(crate) functions: OnceLock<FunctionCall>,
    /// Key that such calls carry.
    pub(crate) service_key: SecretString,
    /// Whether answers may show errors that the project's own SQL raised. True only if everything
    /// runs on this machine (CONTRACT.md C5).
    pub(crate) exposes_sql_errors: bool,
    pub(crate) hash_key: HashKey,
    rng: Mutex<StdRng>,
}

/// The state of the axum router.
#[derive(Clone)]
pub(crate) struct RouterContext(pub(crate) Arc<ServiceContext>);

impl FromRef<RouterContext> for Arc<ServiceContext> {
    fn from_ref(shared: &RouterContext) -> Self {
        Arc::clone(&shared.0)
    }
}

impl ServiceContext {
    /// What requests share, over a database. `rng` must be seeded from the system's randomness.
    ///
    /// # Errors
    /// A mail template of the project that cannot be read.
    pub(crate) fn new(
        config: &Config,
        database: &Database,
        keyring: Arc<Keyring>,
        mail: MailQueue,
        rng: StdRng,
    ) -> Result<Arc<Self>, TemplateError> {
        let Keys { jwt_secret, .. } = &config.keys;
        let mails = Mails::new(&config.auth)?;
        let pool = database.pool(Login::AuthAdmin).clone();
        Ok(Arc::new_cyclic(|weak_self| Self {
            weak_self: weak_self.clone(),
            detached: Arc::new(Semaphore::new(MAX_DETACHED as usize)),
            after_commit_permits: Semaphore::new(MAX_DETACHED as usize),
            settings: config.auth.clone(),
            pool,
            database: database.own(Login::AuthAdmin),
            keyring,
            mail,
            mails,
            limits: Limits::new(&config.auth.rate_limits),
            passwords: Passwords::new(&config.auth),
            providers: Providers::new(&config.auth),
            outbound: Outbound::new(),
            functions: OnceLock::new(),
            service_key: config.keys.service_role_key.clone(),
            exposes_sql_errors: config.is_for_this_machine(),
            hash_key: HashKey::new(jwt_secret.clone()),
            rng: Mutex::new(rng),
        }))
    }

    /// Random bytes.
    pub(crate) fn random<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.rng.lock().unwrap_or_else(PoisonError::into_inner).fill_bytes(&mut bytes);
        bytes
    }

    /// The error of a statement that changes an account: see [`AuthError::saving`].
    pub(crate) fn save_error(&self, error: sqlx::Error) -> AuthError {
        AuthError::saving(error, self.exposes_sql_errors)
    }

    /// Whether clients reach the service by TLS, so that its cookies need it.
    pub(crate) fn is_behind_tls(&self) -> bool {
        self.settings.external_url.starts_with("https://")
    }

    /// A random (version 4) id.
    pub(crate) fn new_id(&self) -> uuid::Uuid {
        uuid::Builder::from_random_bytes(self.random()).into_uuid()
    }

    /// A keyed hash of what must not stand in a table as it is. `purpose` keeps the uses apart.
    pub(crate) fn keyed_hash(&self, purpose: &str, parts: &[&[u8]]) -> [u8; 32] {
        self.hash_key.hash(purpose, parts)
    }
}
