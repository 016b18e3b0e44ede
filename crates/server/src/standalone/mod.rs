//! The data API by itself, in front of any PostgreSQL: configured as PostgREST is, without a
//! gateway of a stack (rest/CONTRACT.md B01 to B08, Z01 to Z07).

/// What the options say now of tokens, origins and the log.
mod options;

/// What the admin listener answers.
mod admin;

/// Log lines in the Apache combined form.
mod access_log;

/// What is counted.
mod metrics;

use std::{sync::Arc, time::Duration};

use banyan_config::{
    machine,
    postgrest::{DataApi, Layers},
};
use banyan_db::{Database, DatabaseSettings};
use banyan_identity::Clock;
use tokio_util::sync::CancellationToken;

use self::{access_log::AccessLog, admin::Admin, metrics::Metrics, options::Options};
use crate::{
    ServerError,
    admission::Admission,
    connections::Connections,
    cors::CorsRule,
    gateway::Gateway,
    identification::Identification,
    listeners::Listeners,
    mounts,
    refusal::Refusal,
    service::{AdmissionClass, BodyLimit, BodyRule, PageRule, Preflights, Service, ServicePolicy, Services},
    sockets::Socket,
};

/// Running requests get this long to end.
const DRAIN: Duration = Duration::from_secs(30);

/// A larger body is refused rather than kept in memory.
const LARGEST_BODY: u64 = 64 << 20;

/// Statements kept prepared on each connection, where any are.
const PREPARED_STATEMENTS: usize = 256;

/// Connections for reading configuration and catalog, beside those of `db-pool`.
const CATALOG_CONNECTIONS: u32 = 1;

/// Where lines of the log go.
#[derive(Debug, Clone, Copy)]
pub struct Output {
    /// Takes a line for each request that is logged, with its end.
    pub access: fn(&str),
    /// Takes the SQL of such a request, without an end of line.
    pub queries: fn(&str),
}

/// A data API that runs.
pub struct RunningStandalone {
    rest: Arc<banyan_rest::State>,
    api: String,
    admin: Option<String>,
    listeners: Listeners,
}

/// Connects, loads configuration and schema once, and opens the sockets, whether the load went well
/// or not (rest/CONTRACT.md L02). `layers` are checked already as far as they go without the
/// database.
///
/// # Errors
/// [`ServerError`] for an option that cannot be, whoever says it, and for a socket that cannot be
/// opened.
pub async fn start(layers: Layers, clock: Clock, output: Output) -> Result<RunningStandalone, ServerError> {
    let options = Arc::new(layers.check(&[]).map_err(|error| wrong(&error))?);
    let database = Database::connect(&settings(&options, &layers)?).map_err(|error| wrong(&error))?;
    tracing::info!("Starting Banyan {}, connecting to the database", env!("CARGO_PKG_VERSION"));
    let rest = banyan_rest::State::new(database, layers).within(machine::memory());
    if options.in_database {
        rest.check_configuration().await.map_err(|error| wrong(&error))?;
    }
    rest.load().await;
    let of_database = rest.configuration().borrow().clone().and_then(|told| told.options);
    let options = of_database.unwrap_or(options);
    let current = Options::new(Arc::clone(&options)).map_err(|error| wrong(&error))?;
    let api = Socket::open(&options.listener, options.reuse_port).await?;
    let admin = match &options.admin {
        None => None,
        Some(listener) => Some(Socket::open(listener, false).await?),
    };
    Ok(run(Arc::new(rest), current, (clock, output), (api, admin)))
}

fn run(
    rest: Arc<banyan_rest::State>,
    options: Options,
    (clock, output): (Clock, Output),
    (api, admin): (Socket, Option<Socket>),
) -> RunningStandalone {
    let mut listeners = Listeners::new(DRAIN);
    let (api_name, admin_name) = (api.name(), admin.as_ref().map(Socket::name));
    let metrics = Arc::new(Metrics::default());
    let log = AccessLog {
        options: Arc::clone(&options.options),
        output,
        clock: clock.clone(),
        metrics: Arc::clone(&metrics),
    };
    let answered_by = Admin {
        rest: Arc::clone(&rest),
        api: api.reachable(),
        metrics,
        verifier: Arc::clone(&options.verifier),
    };
    let service = Service { policy: policy(&options, log), handler: mounts::data_api(Arc::clone(&rest)) };
    let gateway = Arc::new(Gateway {
        services: Services::new(vec![service]),
        admission: Admission::of(machine::memory(), LARGEST_BODY),
        clock,
        loopback_only: false,
        pages: None,
        stopping: listeners.stopping(),
    });
    // Like PostgREST it knows no bound for one address, which is commonly that of a gateway.
    listeners.listen((api, Connections::from_anywhere()), &gateway, Gateway::answer);
    tracing::info!("API server listening on {api_name}");
    if let Some((admin, name)) = admin.zip(admin_name.as_ref()) {
        listeners.listen((admin, Connections::from_anywhere()), &Arc::new(answered_by), admin::answer);
        tracing::info!("Admin server listening on {name}");
    }
    let (followed, stop) = (Arc::clone(&rest), listeners.stopping());
    listeners.spawn(async move { followed.follow(stop).await });
    listeners.spawn(follow_options(Arc::clone(&rest), options, listeners.stopping()));
    RunningStandalone { rest, api: api_name, admin: admin_name, listeners }
}

/// The policy of the one service, which has every path.
fn policy(options: &Options, log: AccessLog) -> ServicePolicy {
    ServicePolicy {
        prefix: "",
        name: "rest",
        is_on: true,
        cors: CorsRule::Postgrest(Arc::clone(&options.options)),
        preflights: Preflights::Gateway,
        pages: PageRule::Every,
        body: BodyRule::Buffered(BodyLimit { bytes: LARGEST_BODY, by_declared_length: false }),
        admission: AdmissionClass::Counted,
        deadline: None,
        transfers: None,
        counts_bytes: false,
        upgrades: None,
        identification: Identification::FromHeaders(Arc::clone(&options.verifier)),
        request_ids: false,
        observer: Arc::new(log),
        refusals: Refusal::response,
    }
}

/// Takes over what the options say of tokens, origins and the log, whenever they change.
async fn follow_options(rest: Arc<banyan_rest::State>, options: Options, stop: CancellationToken) {
    let mut changes = rest.configuration();
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            changed = changes.changed() => if changed.is_err() { return },
        }
        let changed = changes.borrow_and_update().clone().and_then(|told| told.options);
        if let Some(changed) = changed {
            options.take_over(changed);
        }
    }
}

impl RunningStandalone {
    /// Where the API listens: `address:port`, or the path of its socket.
    #[must_use]
    pub fn api(&self) -> &str {
        &self.api
    }

    /// Where the admin listener is, when there is one.
    #[must_use]
    pub fn admin(&self) -> Option<&str> {
        self.admin.as_deref()
    }

    /// Reads configuration and schema again, as SIGUSR1 asks.
    pub fn reload_schema(&self) {
        self.rest.reload_schema();
    }

    /// Reads the configuration again, as SIGUSR2 asks.
    pub fn reload_configuration(&self) {
        self.rest.reload_configuration();
    }

    /// Waits for what makes it senseless to go on: a refused password, a pooler that mixes up
    /// statements, or a database that is away where that is not to be waited for (rest/CONTRACT.md
    /// B04, B05).
    pub async fn failed(&self) -> String {
        let mut fatal = self.rest.fatal();
        let seen = fatal.wait_for(Option::is_some).await.map(|reason| reason.clone().unwrap_or_default());
        match seen {
            Ok(reason) => reason,
            Err(_) => std::future::pending().await,
        }
    }

    /// Stops in order: no new connections, running requests get their time, then the connections to
    /// PostgreSQL close.
    pub async fn stop(self) {
        self.listeners.stop().await;
        self.rest.database().close().await;
    }
}

fn settings(options: &DataApi, layers: &Layers) -> Result<DatabaseSettings, ServerError> {
    let variable = |name: &str| layers.libpq(name).map(str::to_owned);
    let settings =
        DatabaseSettings::of_one_login_from_libpq(&options.database, variable).map_err(|error| {
            let message = format!("{error}. Say it as db-uri in the file of --config, or as PGRST_DB_URI");
            ServerError::Service { service: "the data API", message }
        })?;
    Ok(DatabaseSettings {
        pool_size: options.pool.size,
        service_pool_size: CATALOG_CONNECTIONS,
        acquire_timeout: options.pool.acquisition_timeout,
        idle_timeout: options.pool.max_idletime,
        max_lifetime: options.pool.max_lifetime,
        prepared_statements: if options.prepared_statements { PREPARED_STATEMENTS } else { 0 },
        ..settings
    })
}

fn wrong(error: &dyn std::error::Error) -> ServerError {
    let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
    ServerError::Service { service: "the data API", message: format!("{error}{cause}") }
}
