//! The data API by itself, in front of any PostgreSQL: configured as PostgREST is, without a
//! gateway (rest/CONTRACT.md B01 to B08, Z01 to Z07).

/// One request: caller, CORS, service, log line.
mod service;

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
use banyan_identity::{Clock, Peer, Verifier};
use http::{Request, Response};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use self::service::Service;
use crate::{
    Body, ServerError,
    connections::Connections,
    sockets::{self, Socket},
};

/// Running requests get this long to end.
const DRAIN: Duration = Duration::from_secs(30);

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
pub struct RunningAlone {
    service: Arc<Service>,
    api: String,
    admin: Option<String>,
    stop: CancellationToken,
    tasks: Vec<JoinHandle<()>>,
}

/// Connects, loads configuration and schema once, and opens the sockets, whether the load went well
/// or not (rest/CONTRACT.md L02). `layers` are checked already as far as they go without the
/// database.
///
/// # Errors
/// [`ServerError`] for an option that cannot be, whoever says it, and for a socket that cannot be opened.
pub async fn start(layers: Layers, clock: Clock, output: Output) -> Result<RunningAlone, ServerError> {
    let options = Arc::new(layers.check(&[]).map_err(|error| wrong(&error))?);
    let database = Database::connect(&settings(&options, &layers)?).map_err(|error| wrong(&error))?;
    tracing::info!("Starting Banyan {}, connecting to the database", env!("CARGO_PKG_VERSION"));
    let rest = banyan_rest::State::new(database, layers).within(machine::memory());
    if options.in_database {
        rest.check_configuration().await.map_err(|error| wrong(&error))?;
    }
    rest.load().await;
    let told = rest.configuration().borrow().clone().and_then(|told| told.options);
    let options = told.unwrap_or(options);
    let verifier = Verifier::new(&options.tokens, options.anonymous_role.as_deref());
    let verifier = verifier.map_err(|error| wrong(&error))?;
    let api = Socket::open(&options.listener, options.reuse_port).await?;
    let admin = match &options.admin {
        None => None,
        Some(listener) => Some(Socket::open(listener, false).await?),
    };
    let service = Arc::new(Service::new(rest, verifier, options, clock, output, api.reachable()));
    Ok(run(service, api, admin))
}

fn run(service: Arc<Service>, api: Socket, admin: Option<Socket>) -> RunningAlone {
    let stop = CancellationToken::new();
    let names = (api.name(), admin.as_ref().map(Socket::name));
    let mut tasks = vec![
        tokio::spawn(follow_schema(Arc::clone(&service), stop.clone())),
        tokio::spawn(follow_options(Arc::clone(&service), stop.clone())),
        serve(api, &service, service::answer, &stop),
    ];
    if let Some(admin) = admin {
        tasks.push(serve(admin, &service, admin::answer, &stop));
    }
    tracing::info!("API server listening on {}", names.0);
    if let Some(admin) = &names.1 {
        tracing::info!("Admin server listening on {admin}");
    }
    RunningAlone { service, api: names.0, admin: names.1, stop, tasks }
}

/// Answers on a socket. Like PostgREST it knows no bound for one address, which is commonly that of
/// a gateway.
fn serve<F: Future<Output = Response<Body>> + Send + 'static>(
    socket: Socket,
    service: &Arc<Service>,
    answer: fn(Arc<Service>, Request<Body>, Peer) -> F,
    stop: &CancellationToken,
) -> JoinHandle<()> {
    let places = (socket, Connections::from_anywhere());
    tokio::spawn(sockets::serve(places, Arc::clone(service), answer, stop.clone(), DRAIN))
}

async fn follow_schema(service: Arc<Service>, stop: CancellationToken) {
    service.rest().follow(stop).await;
}

/// Takes over what the options say of tokens and of the log, whenever they change.
async fn follow_options(service: Arc<Service>, stop: CancellationToken) {
    let mut told = service.rest().configuration();
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            changed = told.changed() => if changed.is_err() { return },
        }
        let options = told.borrow_and_update().clone().and_then(|told| told.options);
        if let Some(options) = options {
            service.take_over(options);
        }
    }
}

impl RunningAlone {
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
        self.service.rest().reload_schema();
    }

    /// Reads the configuration again, as SIGUSR2 asks.
    pub fn reload_configuration(&self) {
        self.service.rest().reload_configuration();
    }

    /// Waits for what makes it senseless to go on: a refused password, a pooler that mixes up statements, or a database
    /// that is away where that is not to be waited for (rest/CONTRACT.md B04, B05).
    pub async fn failed(&self) -> String {
        let mut fatal = self.service.rest().fatal();
        let seen = fatal.wait_for(Option::is_some).await.map(|reason| reason.clone().unwrap_or_default());
        match seen {
            Ok(reason) => reason,
            Err(_) => std::future::pending().await,
        }
    }

    /// Stops in order: no new connections, running requests get their time, then the connections to PostgreSQL close.
    pub async fn stop(self) {
        self.stop.cancel();
        for task in self.tasks {
            if tokio::time::timeout(DRAIN + Duration::from_secs(1), task).await.is_err() {
                tracing::warn!("a task did not stop in time");
            }
        }
        self.service.rest().database().close().await;
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
