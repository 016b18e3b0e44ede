use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, OnceLock, PoisonError, Weak},
    time::Duration,
};

use banyan_config::{Auth, Config, Keys};
use banyan_db::{Database, Login};
use banyan_identity::{Identified, Keyring, TokenError};
use banyan_mail::MailQueue;
use hmac::{Hmac, Mac};
use rand::{RngCore, rngs::StdRng};
use secrecy::{ExposeSecret, SecretString};
use sha2::Sha256;
use sqlx::PgPool;
use time::OffsetDateTime;
use tokio::sync::Semaphore;

use crate::{
    Body, client_address,
    hooks::FunctionCall,
    mails::{Mails, TemplateError},
    mark::Marks,
    outgoing::Outgoing,
    passwords::Passwords,
    providers::Providers,
    quiet,
    rate_limit::Limits,
    request::Arrival,
};

/// What the auth service works with. Cheap to clone.
#[derive(Clone)]
pub struct State {
    router: axum::Router,
    inner: Arc<Inner>,
}

/// The parts of [`State`].
pub(crate) struct Inner {
    /// For work that goes on without its request.
    pub(crate) itself: Weak<Inner>,
    pub(crate) settings: Auth,
    pub(crate) pool: PgPool,
    /// Places for answers that go on without their client.
    pub(crate) unobserved: Arc<Semaphore>,
    /// Places for what is done after a commit.
    pub(crate) errands: Semaphore,
    /// For what is asked most: see `store::flights`.
    pub(crate) database: Database,
    pub(crate) keyring: Arc<Keyring>,
    pub(crate) mail: MailQueue,
    pub(crate) mails: Mails,
    pub(crate) limits: Limits,
    pub(crate) passwords: Passwords,
    pub(crate) providers: Providers,
    pub(crate) outgoing: Outgoing,
    /// What calls functions of the project, where it has any.
    pub(crate) functions: OnceLock<FunctionCall>,
    /// Key that such calls carry.
    pub(crate) service_key: SecretString,
    /// Whether answers may name what the project's own SQL raised: only where everything is on this machine
    /// (auth.md C5).
    pub(crate) explains: bool,
    secret: SecretString,
    dice: Mutex<StdRng>,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").finish_non_exhaustive()
    }
}

impl State {
    /// A service over a database, as its login `supabase_auth_admin`.
    ///
    /// `dice` must be seeded from the system's randomness: codes, session keys and ids are drawn from it.
    ///
    /// # Errors
    /// A mail template of the project that cannot be read.
    pub fn new(
        config: &Config,
        database: &Database,
        keyring: Arc<Keyring>,
        mail: MailQueue,
        dice: StdRng,
    ) -> Result<Self, TemplateError> {
        let Keys { jwt_secret, .. } = &config.keys;
        let mails = Mails::new(&config.auth)?;
        let pool = database.pool(Login::AuthAdmin).clone();
        let inner = Arc::new_cyclic(|itself| Inner {
            itself: itself.clone(),
            unobserved: Arc::new(Semaphore::new(quiet::PLACES as usize)),
            errands: Semaphore::new(quiet::PLACES as usize),
            settings: config.auth.clone(),
            pool,
            database: database.clone(),
            keyring,
            mail,
            mails,
            limits: Limits::new(&config.auth.rate_limits),
            passwords: Passwords::new(&config.auth),
            providers: Providers::new(&config.auth),
            outgoing: Outgoing::new().expect("the built-in TLS provider takes the default protocols"),
            functions: OnceLock::new(),
            service_key: config.keys.service_role_key.clone(),
            explains: config.is_for_this_machine(),
            secret: jwt_secret.clone(),
            dice: Mutex::new(dice),
        });
        Ok(Self { router: crate::router::routes(Arc::clone(&inner)), inner })
    }

    /// Has hooks that name a function of the project called by `call` (auth.md HK12). Only the first call counts.
    pub fn call_functions_by(&self, call: FunctionCall) {
        let _ = self.inner.functions.set(call);
    }

    /// How long one request may take (auth.md W10).
    pub(crate) fn longest(&self) -> Duration {
        self.inner.settings.max_request_duration
    }

    pub(crate) fn inner(&self) -> &Arc<Inner> {
        &self.inner
    }

    /// What is known of a request before its endpoint sees it. A token has no more time here than it says, though another
    /// node or the project's own backend may have signed it by a clock that differs: clients refresh long before (auth.md B2).
    pub(crate) fn arrival(
        &self,
        caller: Identified,
        request: &http::Request<Body>,
        now: OffsetDateTime,
    ) -> Arrival {
        let settings = &self.inner.settings;
        let peer = request.extensions().get::<SocketAddr>().map(SocketAddr::ip);
        let client = client_address::find(&settings.client_address, request.headers(), peer);
        let marks = Marks::of(request.headers());
        let caller = caller.and_then(|caller| match caller.claims().has_expired(now) {
            true => Err(TokenError::Expired),
            false => Ok(caller),
        });
        let arrival = Arrival { caller, now, client, audited: settings.audit_log.postgres, marks };
        match client_address::of_user(request.headers()).filter(|_| arrival.by_service()) {
            Some(user) => Arrival { client: Some(user), ..arrival },
            None => arrival,
        }
    }

    pub(crate) fn router(&self) -> axum::Router {
        self.router.clone()
    }
}

impl Inner {
    /// Random bytes.
    pub(crate) fn random<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.dice.lock().unwrap_or_else(PoisonError::into_inner).fill_bytes(&mut bytes);
        bytes
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
        let mut mac = Hmac::<Sha256>::new_from_slice(self.secret.expose_secret().as_bytes())
            .expect("HMAC takes keys of any length");
        for part in std::iter::once(&purpose.as_bytes()).chain(parts) {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }
}
