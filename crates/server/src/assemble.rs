//! Builds every service's state from the configuration, and the tasks that run beside the requests.

use std::{
    net::SocketAddr,
    sync::{Arc, OnceLock, Weak},
    time::Duration,
};

use banyan_config::{Config, Keys, machine, postgrest::Layers};
use banyan_db::{Database, Login, Migration, Turns};
use banyan_edge::Dispatch;
use banyan_identity::{ApiKeys, Clock, Keyring, Policy, Verifier};
use banyan_mail::{MailQueue, Shutdown, SmtpSettings};
use rand::{SeedableRng, rngs::StdRng};
use secrecy::SecretString;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::{
    ServerError,
    gateway::{Gateway, Limits},
    metrics::Metrics,
    pages::Pages,
    refuse,
    refused::RefusedTokens,
    room::Room,
    route::Switches,
    signing_keys,
    site::Site,
};

/// What a server is made of. The database must hold the platform and [`stack_migrations`].
pub struct Parts {
    /// The checked configuration.
    pub config: Config,
    /// The door to PostgreSQL.
    pub database: Database,
    /// Where mail goes.
    pub smtp: SmtpSettings,
    /// The time.
    pub clock: Clock,
    /// What management commands present; an empty one opens nothing.
    pub access_token: SecretString,
}

/// The stack's own schema changes: service, login that owns its objects, changes. To be applied in
/// this order.
#[must_use]
pub fn stack_migrations() -> [(&'static str, Login, &'static [Migration]); 3] {
    [
        ("db", Login::Admin, banyan_db::turns::MIGRATIONS),
        ("mail", Login::Admin, banyan_mail::MIGRATIONS),
        ("auth", Login::AuthAdmin, banyan_auth::MIGRATIONS),
    ]
}

/// The services behind the gateway.
pub(crate) struct Services {
    pub(crate) rest: Arc<banyan_rest::State>,
    pub(crate) auth: banyan_auth::State,
    pub(crate) mail: banyan_mail::State,
    /// None where `[edge_runtime] enabled = false`.
    pub(crate) edge: Option<Arc<banyan_edge::State>>,
    pub(crate) database: Database,
}

impl Services {
    /// Each part that is asked for data, and whether it answers.
    pub(crate) async fn ready(&self) -> Vec<(&'static str, bool)> {
        vec![("database", self.database.ping().await.is_ok()), ("rest", self.rest.is_ready())]
    }
}

/// The functions of a running server.
#[derive(Clone)]
pub struct Functions {
    edge: Option<Arc<banyan_edge::State>>,
    port: u16,
}

impl Functions {
    /// How many functions are being compiled, or wait for it. Until then they answer 503, or the version before goes on.
    #[must_use]
    pub fn to_compile(&self) -> usize {
        self.edge.as_ref().map_or(0, |edge| edge.pending_compilations())
    }

    /// How many functions can be called.
    #[must_use]
    pub fn callable(&self) -> usize {
        self.edge.as_ref().map_or(0, |edge| edge.callable())
    }

    /// The functions that cannot be loaded.
    #[must_use]
    pub fn broken(&self) -> Vec<String> {
        self.edge.as_ref().map_or_else(Vec::new, |edge| edge.broken())
    }

    /// Waits until all are compiled.
    pub async fn compiled(&self) {
        if let Some(edge) = &self.edge {
            edge.wait_until_compiled().await;
        }
    }

    /// Puts another configuration of the functions into effect, without ending what runs: policies and secrets.
    pub async fn reconfigure(&self, mut config: Config) {
        if let Some(edge) = &self.edge {
            config.listening_on(self.port);
            edge.reconfigure(&config).await;
        }
    }
}

/// Tasks beside the requests, and who ends them.
pub(crate) struct Background {
    stop: CancellationToken,
    tasks: Vec<JoinHandle<()>>,
    edge: Option<Arc<banyan_edge::State>>,
    database: Database,
    port: u16,
}

impl Background {
    pub(crate) fn functions(&self) -> Functions {
        Functions { edge: self.edge.clone(), port: self.port }
    }

    /// Ends functions within `grace`, then the tasks, then the connections.
    pub(crate) async fn stop(self, grace: Duration) {
        if let Some(edge) = &self.edge {
            edge.shut_down(grace).await;
        }
        self.stop.cancel();
        let grace = of_tasks(grace);
        for task in self.tasks {
            if tokio::time::timeout(grace, task).await.is_err() {
                tracing::warn!("a background task did not stop in time");
            }
        }
        self.database.close().await;
    }
}

/// What the tasks get of a stop: what becomes of mails that are on their way has to be noted,
/// however little time requests have.
fn of_tasks(grace: Duration) -> Duration {
    const LEAST: Duration = Duration::from_secs(5);
    grace.max(LEAST)
}

/// Builds the gateway and starts what runs beside it.
pub(crate) async fn build(
    parts: Parts,
    listening: SocketAddr,
) -> Result<(Arc<Gateway>, Background), ServerError> {
    let Parts { mut config, database, smtp, clock, access_token } = parts;
    config.listening_on(listening.port());
    let keyring = Arc::new(Keyring::new(&config.keys).map_err(|error| failed("identity", &error))?);
    let queue = MailQueue::new(database.pool(Login::Admin).clone());
    let own_gateway = Arc::new(OnceLock::new());
    let own = own_address(&own_gateway);
    let edge = edge(&config, &keyring, Arc::clone(&own)).await?;
    let memory = machine::memory();
    let rest = banyan_rest::State::new(database.clone(), Layers::of_stack(&config.api)).within(memory);
    let rest = Arc::new(rest);
    rest.load().await;
    let services = Services {
        rest,
        auth: auth(&config, &database, &keyring, &queue, own)?,
        mail: banyan_mail::State::new(queue.clone()),
        edge: edge.clone(),
        database: database.clone(),
    };
    let stop = CancellationToken::new();
    let mails = Shutdown::within(of_tasks(config.server.drain), stop.clone());
    let tasks = tasks(&services, (&config.keys, &keyring), (queue, smtp, mails), &clock, &stop);
    let api_keys = ApiKeys::new(&config.keys, config.server.require_api_key);
    let gateway = Arc::new(Gateway {
        services,
        verifier: Verifier::new(keyring, Policy::of_gateway(api_keys)),
        clock,
        access_token,
        refused_tokens: RefusedTokens::default(),
        site: Site::load(config.server.site.as_deref(), config.api_url()).map_err(ServerError::Site)?,
        metrics: Metrics::new(),
        limits: Limits { max_body: config.server.max_body, timeout: config.server.request_timeout },
        room: Room::of(memory, config.server.max_body)
            .shared(config.auth.client_address.trusted_proxies.clone()),
        switches: Switches { rest: config.api.enabled, auth: config.auth.enabled },
        pages: Pages::of(&config),
        for_this_machine: !config.server.demo_keys && config.keys.everybody_knows().is_some(),
    });
    let _ = own_gateway.set(Arc::downgrade(&gateway));
    Ok((gateway, Background { stop, tasks, edge, database, port: listening.port() }))
}

fn auth(
    config: &Config,
    database: &Database,
    keyring: &Arc<Keyring>,
    queue: &MailQueue,
    own: Dispatch,
) -> Result<banyan_auth::State, ServerError> {
    let dice = StdRng::from_os_rng();
    let state = banyan_auth::State::new(config, database, Arc::clone(keyring), queue.clone(), dice)
        .map_err(|error| failed("auth", &error))?;
    if config.edge_runtime.enabled {
        state.call_functions_by(own);
    }
    Ok(state)
}

/// What functions, and hooks that are functions, ask of the stack's own address comes back into the gateway.
fn own_address(gateway: &Arc<OnceLock<Weak<Gateway>>>) -> Dispatch {
    let gateway = Arc::clone(gateway);
    Arc::new(move |request| match gateway.get().and_then(Weak::upgrade) {
        Some(gateway) => gateway.answer_own(request),
        None => {
            let answer = refuse(http::StatusCode::SERVICE_UNAVAILABLE, "The stack is starting or stopping.");
            Box::pin(std::future::ready(answer))
        }
    })
}

/// The function host. What has to be compiled first is compiled while the server answers.
async fn edge(
    config: &Config,
    keyring: &Arc<Keyring>,
    dispatch: Dispatch,
) -> Result<Option<Arc<banyan_edge::State>>, ServerError> {
    if !config.edge_runtime.enabled {
        return Ok(None);
    }
    let state =
        banyan_edge::State::new(config, keyring, dispatch).map_err(|error| failed("functions", &error))?;
    state.scan().await;
    Ok(Some(Arc::new(state)))
}

fn tasks(
    services: &Services,
    (keys, keyring): (&Keys, &Arc<Keyring>),
    (queue, smtp, stop_mails): (MailQueue, SmtpSettings, Shutdown),
    clock: &Clock,
    stop: &CancellationToken,
) -> Vec<JoinHandle<()>> {
    let mut tasks = vec![
        tokio::spawn(banyan_mail::drain(queue, smtp, clock.clone(), stop_mails)),
        tokio::spawn(follow_schema(Arc::clone(&services.rest), stop.clone())),
        tokio::spawn(banyan_auth::housekeep(services.auth.clone(), clock.clone(), stop.clone())),
        tokio::spawn(signing_keys::follow(keys.clone(), Arc::clone(keyring), stop.clone())),
    ];
    if let Some(edge) = &services.edge {
        let (watched, stop_watching) = (Arc::clone(edge), stop.clone());
        tasks.push(tokio::spawn(async move {
            if let Err(error) = watched.watch(stop_watching).await {
                tracing::error!(error = %error, "functions are not reloaded when they change");
            }
        }));
        let database = services.database.clone();
        tasks.push(tokio::spawn(call_scheduled(Arc::clone(edge), clock.clone(), database, stop.clone())));
    }
    tasks
}

async fn follow_schema(rest: Arc<banyan_rest::State>, stop: CancellationToken) {
    rest.follow(stop).await;
}

/// Calls scheduled functions, each on one node at a time (product decision D17).
async fn call_scheduled(
    edge: Arc<banyan_edge::State>,
    clock: Clock,
    database: Database,
    stop: CancellationToken,
) {
    let turns = Turns::new(database);
    let taken = turns.clone();
    let try_take = move |function: String, every: Duration| {
        let turns = taken.clone();
        async move {
            let turn = turns.take(&format!("schedule of {function}"), every).await;
            turn.unwrap_or_else(|error| {
                tracing::warn!(function, error = %error, "a scheduled call is left out: the database does not answer");
                None
            })
        }
    };
    banyan_edge::schedules::run(edge, clock, try_take, stop).await;
    turns.settle().await;
}

fn failed(service: &'static str, error: &dyn std::error::Error) -> ServerError {
    ServerError::Service { service, message: error.to_string() }
}
