//! A service on a database of its own, spoken to as the gateway would.

use std::{ops::Deref, path::Path, sync::Arc, time::Duration};

use banyan_config::{Config, StorageBackend};
use banyan_db::Login;
use banyan_identity::{ApiKeys, Clock, Credentials, Keyring, Verifier, VerifierPolicy};
use banyan_storage::{Blobs, Patience, State, handle};
use banyan_testkit::{Answer, Call, Service, TestDatabase};
use http::{Method, Uri};
use rand::{SeedableRng, rngs::StdRng};
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use sqlx::PgPool;
use time::OffsetDateTime;
use uuid::Uuid;

/// A user.
pub(crate) const ASHA: Uuid = Uuid::from_u128(0xA);
/// Another user.
pub(crate) const RAVI: Uuid = Uuid::from_u128(0xB);

/// A service, its database and its clock.
#[derive(Clone)]
pub(crate) struct Stage {
    database: Arc<TestDatabase>,
    config: Arc<Config>,
    keyring: Arc<Keyring>,
    service: Service,
    blobs: Blobs,
    pub(crate) state: State,
    pub(crate) clock: Clock,
}

impl Deref for Stage {
    type Target = Service;

    fn deref(&self) -> &Service {
        &self.service
    }
}

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Who {
    /// No token and no key.
    Nobody,
    /// The anon key.
    Anon,
    /// A signed-in user.
    User(Uuid),
    /// The service key.
    Service,
}

/// The service as the gateway calls it: it is told who calls, and the time.
fn service(state: &State, keyring: &Arc<Keyring>, config: &Config, clock: &Clock) -> Service {
    let policy = VerifierPolicy::of_gateway(ApiKeys::new(&config.keys, false));
    let verifier = Arc::new(Verifier::new(Arc::clone(keyring), policy));
    let (state, clock) = (state.clone(), clock.clone());
    Service::of(move |mut request| {
        let (state, now) = (state.clone(), clock.now());
        let told = request.extensions_mut().remove();
        let caller = told.unwrap_or_else(|| {
            verifier.caller(&Credentials::from_headers(request.headers())?.or_bare_token(), now)
        });
        async move {
            let original: Uri = format!("/storage/v1{}", request.uri()).parse().expect("a path");
            handle(&state, caller, request, &original, now).await
        }
    })
}

impl Stage {
    pub(crate) async fn new() -> Self {
        Self::with("").await
    }

    /// A service of a project with this config.toml.
    pub(crate) async fn with(toml: &str) -> Self {
        Self::of(banyan_testkit::config_with(toml), Blobs::in_memory()).await
    }

    /// A service whose settings `change` has changed, for those of banyan.toml.
    pub(crate) async fn changed(change: impl FnOnce(&mut banyan_config::Storage)) -> Self {
        let mut config = banyan_testkit::config();
        change(&mut config.storage);
        Self::of(config, Blobs::in_memory()).await
    }

    pub(crate) async fn of(config: Config, blobs: Blobs) -> Self {
        let database = Box::pin(banyan_testkit::platform_database()).await;
        Self::over(config, Arc::new(database), blobs)
    }

    /// A service whose bytes lie in the folder of a stack.
    pub(crate) async fn on_disk(folder: &Path) -> Self {
        let database = Arc::new(Box::pin(banyan_testkit::platform_database()).await);
        Self::on_disk_with(database, folder).await
    }

    /// Another service on a database.
    pub(crate) async fn on_disk_with(database: Arc<TestDatabase>, folder: &Path) -> Self {
        let mut config = banyan_testkit::config();
        config.storage.backend = StorageBackend::Disk { folder: folder.to_owned() };
        let mut rng = StdRng::from_os_rng();
        let opened = banyan_storage::open(&config.storage, &database, &mut rng);
        let blobs = opened.await.expect("the folder opens");
        Self::over(config, database, blobs)
    }

    fn over(config: Config, database: Arc<TestDatabase>, blobs: Blobs) -> Self {
        let keyring = Arc::new(Keyring::new(&config.keys).expect("valid keys"));
        let state =
            State::new(&config, &database, Arc::clone(&keyring), blobs.clone(), StdRng::from_os_rng());
        let clock = Clock::fixed(OffsetDateTime::from_unix_timestamp(1_790_000_000).expect("a time"));
        Self {
            service: service(&state, &keyring, &config, &clock),
            blobs,
            state,
            database,
            keyring,
            config: Arc::new(config),
            clock,
        }
    }

    /// Another node of the same stack.
    pub(crate) fn another_node(&self) -> Self {
        let (keyring, blobs) = (Arc::clone(&self.keyring), self.blobs.clone());
        let state = State::new(&self.config, &self.database, keyring, blobs, StdRng::from_os_rng());
        Self { service: service(&state, &self.keyring, &self.config, &self.clock), state, ..self.clone() }
    }

    /// The same service, which waits so long for a client.
    pub(crate) fn waiting(self, patience: Patience) -> Self {
        let state = self.state.clone().with_patience(patience);
        Self { service: service(&state, &self.keyring, &self.config, &self.clock), state, ..self }
    }

    pub(crate) fn wait(&self, seconds: u64) {
        self.clock.advance(Duration::from_secs(seconds));
    }

    pub(crate) fn keyring(&self) -> &Arc<Keyring> {
        &self.keyring
    }

    pub(crate) fn database(&self) -> &Arc<TestDatabase> {
        &self.database
    }

    /// What the service was made of.
    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    /// The key of role `anon`.
    pub(crate) fn anon_key(&self) -> &str {
        &self.config.keys.anon_key
    }

    /// The superuser's pool.
    pub(crate) fn pool(&self) -> &PgPool {
        self.database.pool(Login::Admin)
    }

    /// Runs SQL as a superuser.
    pub(crate) async fn sql(&self, sql: &'static str) {
        sqlx::raw_sql(sql).execute(self.pool()).await.expect("valid SQL");
    }

    /// The one number that a query gives.
    pub(crate) async fn number(&self, query: &'static str) -> i64 {
        sqlx::query_scalar(query).fetch_one(self.pool()).await.expect("a number")
    }

    /// The one text that a query gives.
    pub(crate) async fn text(&self, query: &'static str) -> String {
        sqlx::query_scalar(query).fetch_one(self.pool()).await.expect("a text")
    }

    /// A request by somebody.
    pub(crate) fn by(&self, who: Who, method: Method, path: &str) -> Call {
        let call = self.call(method, path);
        match who {
            Who::Nobody => call,
            Who::Anon => call.bearer(&self.config.keys.anon_key),
            Who::User(id) => call.bearer(&banyan_testkit::token("authenticated", Some(id), Value::Null)),
            Who::Service => call.header("apikey", self.config.keys.secret_key.expose_secret()),
        }
    }

    /// Reads as somebody.
    pub(crate) fn get_by(&self, who: Who, path: &str) -> Call {
        self.by(who, Method::GET, path)
    }

    /// Posts JSON as somebody.
    pub(crate) fn post_by(&self, who: Who, path: &str, body: Value) -> Call {
        self.by(who, Method::POST, path).json(body)
    }

    /// Deletes as somebody, with a body of JSON.
    pub(crate) fn delete_by(&self, who: Who, path: &str, body: Value) -> Call {
        self.by(who, Method::DELETE, path).json(body)
    }

    /// Makes a bucket.
    pub(crate) async fn bucket(&self, name: &str, public: bool) {
        let body = json!({"name": name, "public": public});
        self.post_by(Who::Service, "/bucket", body).await.done();
    }

    /// Uploads a text as somebody.
    pub(crate) async fn upload(&self, who: Who, path: &str, text: &str) -> Answer {
        let path = format!("/object/{path}");
        self.by(who, Method::POST, &path).body("text/plain", text.to_owned()).await
    }
}

/// What a test asks of an answer whose body it does not need.
pub(crate) trait Done {
    /// Asserts that the status is 200.
    fn done(&self);
}

impl Done for Answer {
    #[track_caller]
    fn done(&self) {
        assert_eq!(self.status, 200, "{self:?}");
    }
}

/// Asserts what an error of REST says: status, `statusCode`, `error`, `code` and `message`.
#[track_caller]
pub(crate) fn assert_error(answer: &Answer, status: u16, body: [&str; 4]) {
    let [status_code, error, code, message] = body;
    let expected = json!({"statusCode": status_code, "error": error, "code": code, "message": message});
    assert_eq!((answer.status, answer.json()), (status, expected), "{answer:?}");
}

/// Whoever may read is the owner of the folder that is named like his id, in every bucket.
pub(crate) const OWN_FOLDER: &str = "
    create policy own_folder on storage.objects for all to authenticated
    using ((storage.foldername(name))[1] = auth.uid()::text)
    with check ((storage.foldername(name))[1] = auth.uid()::text)";
