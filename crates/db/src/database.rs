//! The handle: pools, `run_as`, `listen`.

use std::{
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::Duration,
};

use secrecy::ExposeSecret;
use sqlx::{
    ConnectOptions as _, Connection as _, Executor as _, PgConnection, PgPool,
    postgres::{PgConnectOptions, PgPoolOptions, PgSslMode},
};

pub use crate::protocol::pool::PoolStatus;
use crate::{
    Address, Answer, ConnectError, DatabaseSettings, Login, OwnDatabase, Rows, RunAs, RunError, Tls,
    listen::Notifications,
    protocol::{Connection, Connector, Pipeline, Pool},
    run_as,
    settings::Setting,
};

/// A connection of a service that has waited for longer is asked whether it lives before it is
/// used.
const LONGEST_UNASKED: Duration = Duration::from_millis(500);

/// Foreign keys and triggers work in a superuser's session, whatever the database says.
const FIRES_TRIGGERS: &str = "select pg_catalog.set_config('session_replication_role', 'origin', false)
    from pg_catalog.pg_roles where rolname = current_user and rolsuper";

/// A handle on one database; clones share the connections.
#[derive(Debug, Clone)]
pub struct Database {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    connector: Arc<Connector>,
    /// Those of each login, in the order of [`Login::ALL`].
    logins: [LoginPools; Login::ALL.len()],
    /// Which of the settings' servers the sqlx pools connect to.
    services_at: Mutex<usize>,
}

/// The connections of one login, each opened when it is first needed.
#[derive(Debug)]
struct LoginPools {
    /// For pipelines.
    pipelines: OnceLock<Pool>,
    /// For fixed SQL that is checked when a service is compiled.
    sqlx: PgPool,
}

impl Database {
    /// Makes a handle. Connections are opened when first needed, so this works before the server is
    /// up. It must be called inside a Tokio runtime.
    ///
    /// # Errors
    /// [`ConnectError`] when the settings cannot be used, never because the server is away.
    pub fn connect(settings: &DatabaseSettings) -> Result<Self, ConnectError> {
        let connector = Arc::new(Connector::new(settings)?);
        let logins = Login::ALL
            .map(|login| LoginPools { pipelines: OnceLock::new(), sqlx: service_pool(settings, login) });
        Ok(Self { inner: Arc::new(Inner { connector, logins, services_at: Mutex::new(0) }) })
    }

    /// The settings it was made from.
    #[must_use]
    pub fn settings(&self) -> &DatabaseSettings {
        self.inner.connector.settings()
    }

    /// The pool of a login role, for fixed SQL that a service owns.
    #[must_use]
    pub fn pool(&self, login: Login) -> &PgPool {
        self.inner.follow_callers();
        &self.inner.of(login).sqlx
    }

    /// Runs a statement as a caller: role, claims, settings, statement and commit in one pipeline
    /// (CONTRACT.md PG-PIPELINE).
    ///
    /// Dropping the future cancels the statement on the server and closes its connection; the
    /// transaction is rolled back unless it was already committing.
    ///
    /// # Errors
    /// [`RunError`]; see its variants for what was committed.
    pub async fn run_as(&self, run: &RunAs<'_>) -> Result<Rows, RunError> {
        run_as::run_as(self.inner.callers(), run).await
    }

    /// The same for a statement of one row, whose last column may be large.
    ///
    /// Of a read, a last column above 64 KiB is streamed while it arrives (see
    /// [`Body`](crate::Body)); the bound on results does not hold for it, as little of it is in
    /// memory at a time. Everything else is collected.
    ///
    /// # Errors
    /// As [`Database::run_as`].
    pub async fn answer_as(&self, run: &RunAs<'_>) -> Result<Answer, RunError> {
        run_as::answer_as(self.inner.callers(), run).await
    }

    /// The database as one of the stack's own logins, for a service's own statements in one
    /// pipeline.
    #[must_use]
    pub fn own(&self, login: Login) -> OwnDatabase {
        OwnDatabase::new(self.inner.pipelines(login).clone())
    }

    /// Listens on a channel of `notify` from the first [`Notifications::next`] on: on the first
    /// server that takes listeners, which a standby does not (rest/CONTRACT.md L06).
    #[must_use]
    pub fn listen(&self, channel: &str) -> Notifications {
        let settings = self.settings();
        let options =
            settings.addresses().map(|address| service_options(settings, address, Login::Authenticator));
        Notifications::new(options, channel)
    }

    /// Whether callers were last connected to a standby, which may be behind what was heard of its
    /// primary.
    #[must_use]
    pub fn is_on_standby(&self) -> bool {
        self.inner.connector.is_on_standby()
    }

    /// Asks the server for a sign of life as the role `authenticator`, for readiness probes.
    ///
    /// # Errors
    /// [`RunError`] when no connection answers within the settings' bounds.
    pub async fn ping(&self) -> Result<(), RunError> {
        let mut pooled = self.inner.callers().acquire().await?;
        let mut pipeline = Pipeline::new(pooled.connection());
        pipeline.write(|writer| writer.step("", "select", std::iter::empty()))?;
        pipeline.run(0).await?;
        Ok(())
    }

    /// Connections that the server takes at once, without those that it reserves for superusers and
    /// the like.
    ///
    /// # Errors
    /// What PostgreSQL says.
    pub async fn connection_limit(&self) -> Result<u32, sqlx::Error> {
        // Servers below 16 do not know `reserved_connections`.
        let limit: i32 = sqlx::query_scalar(
            "select current_setting('max_connections')::int
                - current_setting('superuser_reserved_connections')::int
                - coalesce(current_setting('reserved_connections', true), '0')::int",
        )
        .fetch_one(self.pool(Login::Admin))
        .await?;
        Ok(limit.try_into().unwrap_or_default())
    }

    /// Replaces the connections of [`Database::run_as`] by new ones as they become free, since
    /// sessions remember what the catalog held when they first asked (rest/CONTRACT.md L10).
    /// Nothing that runs is interrupted.
    pub fn renew(&self) {
        self.inner.callers().renew();
    }

    /// How busy the connections of [`Database::run_as`] are.
    #[must_use]
    pub fn status(&self) -> PoolStatus {
        self.inner.callers().status()
    }

    /// Closes all connections once their work is done; later calls fail as unavailable.
    pub async fn close(&self) {
        for login in Login::ALL {
            self.inner.pipelines(login).close().await;
            self.inner.of(login).sqlx.close().await;
        }
    }

    /// A connection of our own outside of the pools, for what a person types.
    pub(crate) async fn open(&self, login: Login) -> Result<Connection, RunError> {
        self.inner.connector.connect(login).await
    }

    /// The same with other settings for the session to begin with.
    pub(crate) async fn open_with(&self, login: Login, session: &[Setting]) -> Result<Connection, RunError> {
        self.inner.connector.connect_with(login, session).await
    }

    /// One for the project's files.
    pub(crate) async fn open_for_files(&self) -> Result<Connection, RunError> {
        self.open_with(Login::Postgres, &self.settings().session_of_changes(Login::Postgres)).await
    }

    /// One for a service that brings what it owns up to date.
    pub(crate) async fn open_for_changes(&self, login: Login) -> Result<PgConnection, sqlx::Error> {
        let settings = self.settings();
        let server = self.inner.connector.server();
        let address = settings.addresses().nth(server).unwrap_or(&settings.address);
        let session = settings.session_of_changes(login);
        let mut connection = with_session(settings, address, (login, session)).connect().await?;
        if login == Login::Admin && settings.only_user.is_none() {
            make_superuser_sure(&mut connection, settings.endless().is_some()).await?;
        }
        Ok(connection)
    }
}

impl Inner {
    fn of(&self, login: Login) -> &LoginPools {
        &self.logins[login as usize]
    }

    /// The connections that requests of callers run on.
    fn callers(&self) -> &Pool {
        self.pipelines(Login::Authenticator)
    }

    fn pipelines(&self, login: Login) -> &Pool {
        let open = || Pool::new(Arc::clone(&self.connector), login, self.connector.settings().pool_size);
        self.of(login).pipelines.get_or_init(open)
    }

    /// Has services connect anew to the server that callers were last connected to.
    fn follow_callers(&self) {
        let mut at = self.services_at.lock().unwrap_or_else(PoisonError::into_inner);
        let server = self.connector.server();
        if std::mem::replace(&mut *at, server) == server {
            return;
        }
        let settings = self.connector.settings();
        let Some(address) = settings.addresses().nth(server) else { return };
        for login in Login::ALL {
            let options = service_options(settings, address, login);
            self.of(login).sqlx.set_connect_options(options);
        }
    }
}

fn service_pool(settings: &DatabaseSettings, login: Login) -> PgPool {
    let is_admin = login == Login::Admin && settings.only_user.is_none();
    let is_endless = settings.endless().is_some();
    PgPoolOptions::new()
        .max_connections(settings.service_pool_size.max(1))
        .acquire_timeout(settings.acquire_timeout)
        .idle_timeout(settings.idle_timeout)
        .max_lifetime(settings.max_lifetime)
        // One that was used just now is taken at its word; any other is asked whether it lives.
        .test_before_acquire(false)
        .before_acquire(|connection, about| {
            Box::pin(async move {
                if about.idle_for > LONGEST_UNASKED {
                    connection.ping().await?;
                }
                Ok(true)
            })
        })
        .after_connect(move |connection, _| {
            Box::pin(async move {
                if is_admin { make_superuser_sure(connection, is_endless).await } else { Ok(()) }
            })
        })
        .connect_lazy_with(service_options(settings, &settings.address, login))
}

/// Sets what a superuser's session cannot begin with.
async fn make_superuser_sure(connection: &mut PgConnection, is_endless: bool) -> Result<(), sqlx::Error> {
    // Of a server of somebody else the version is known by now. Older ones know no such setting.
    if !is_endless && connection.server_version_num() >= Some(170_000) {
        connection.execute("set transaction_timeout = 0").await?;
    }
    // One of superusers: who is none is told so, and better than by this.
    connection.execute(FIRES_TRIGGERS).await?;
    Ok(())
}

fn service_options(settings: &DatabaseSettings, address: &Address, login: Login) -> PgConnectOptions {
    with_session(settings, address, (login, settings.session(login)))
}

fn with_session(
    settings: &DatabaseSettings,
    address: &Address,
    (login, session): (Login, Vec<Setting>),
) -> PgConnectOptions {
    let options = PgConnectOptions::new_without_pgpass()
        .username(settings.user(login))
        .password(settings.password(login).expose_secret())
        .database(&settings.database)
        .application_name(&settings.application_name)
        // Poolers do not know this parameter, and nothing that is read here is a float.
        .extra_float_digits(None)
        .statement_cache_capacity(settings.prepared_statements)
        .disable_statement_logging();
    let options = if session.is_empty() { options } else { options.options(session) };
    match address {
        Address::Socket { folder, port } => options.socket(folder).port(*port).ssl_mode(PgSslMode::Disable),
        Address::Tcp { host, port } => encrypted(options.host(host).port(*port), &settings.tls),
    }
}

fn encrypted(options: PgConnectOptions, tls: &Tls) -> PgConnectOptions {
    match tls {
        Tls::Off => options.ssl_mode(PgSslMode::Disable),
        Tls::Preferred => options.ssl_mode(PgSslMode::Prefer),
        Tls::Unverified => options.ssl_mode(PgSslMode::Require),
        Tls::Verified { root_certificate: None } => options.ssl_mode(PgSslMode::VerifyFull),
        Tls::Verified { root_certificate: Some(path) } => {
            options.ssl_mode(PgSslMode::VerifyFull).ssl_root_cert(path)
        }
    }
}
