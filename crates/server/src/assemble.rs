//! Builds every service's state from the configuration, and the tasks that run beside the requests.

use std::{
    net::SocketAddr,
    sync::{Arc, OnceLock, Weak},
    time::Duration,
};

use banyan_config::{Config, Keys, machine, postgrest::Layers};
use banyan_db::{Database, Leases, Login, Migration};
use banyan_edge::Dispatch;
use banyan_identity::{ApiKeys, Clock, Keyring, Verifier};
use banyan_mail::{MailQueue, Shutdown, SmtpSettings};
use rand::{SeedableRng, rngs::StdRng};
use secrecy::SecretString;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::{
    ServerError,
    admin::Admin,
    admission::Admission,
    cors::CorsRule,
    foreign_pages::AllowedPages,
    functions::Functions,
    gateway::Gateway,
    identification::Identification,
    metrics::Metrics,
    mounts::{self, States},
    readiness::Readiness,
    refusal::Refusal,
    request_log::RequestLog,
    service::{AdmissionClass, BodyLimit, BodyRule, PageRule, Policy, Preflights, Services},
    signing_keys,
    static_files::{Source, StaticFiles},
    token_log::TokenLog,
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
        ("db", Login::Admin, banyan_db::leases::MIGRATIONS),
        ("mail", Login::Admin, banyan_mail::MIGRATIONS),
        ("auth", Login::AuthAdmin, banyan_auth::MIGRATIONS),
    ]
}

/// What runs beside the requests, and how it ends.
pub(crate) struct Background {
    pub(crate) functions: Functions,
    pub(crate) readiness: Readiness,
    tasks: Tasks,
    database: Database,
}

impl Background {
    /// Ends functions within `grace`, then the tasks, then the connections.
    pub(crate) async fn stop(self, grace: Duration) {
        if let Some(edge) = &self.functions.edge {
            edge.shut_down(grace).await;
        }
        self.tasks.end(of_tasks(grace)).await;
        self.database.close().await;
    }
}

/// What the tasks get of a stop: what becomes of mails that are on their way has to be noted,
/// however little time requests have.
fn of_tasks(grace: Duration) -> Duration {
    const LEAST: Duration = Duration::from_secs(5);
    grace.max(LEAST)
}

/// What the two listeners answer by, and what runs beside them.
pub(crate) struct Assembled {
    pub(crate) gateway: Arc<Gateway>,
    pub(crate) admin: Arc<Admin>,
    pub(crate) background: Background,
}

/// Builds the gateway and starts what runs beside it. `stopping` is cancelled when the listeners stop.
pub(crate) async fn build(
    parts: Parts,
    listening: SocketAddr,
    stopping: CancellationToken,
) -> Result<Assembled, ServerError> {
    let Parts { mut config, database, smtp, clock, access_token } = parts;
    config.listening_on(listening.port());
    let keyring = Arc::new(Keyring::new(&config.keys).map_err(|error| failed("identity", &error))?);
    let queue = MailQueue::new(database.pool(Login::Admin).clone());
    let own_gateway = Arc::new(OnceLock::new());
    let own = own_address(&own_gateway);
    let edge = edge(&config, &keyring, Arc::clone(&own)).await?;
    let rest = banyan_rest::State::new(database.clone(), Layers::of_stack(&config.api));
    let rest = Arc::new(rest.within(machine::memory()));
    rest.load().await;
    let auth = auth(&config, &database, &keyring, &queue, own)?;
    let readiness = Readiness { database: database.clone(), rest: Arc::clone(&rest), edge: edge.clone() };
    let states = States {
        rest: Arc::clone(&rest),
        auth: auth.clone(),
        mail: banyan_mail::State::new(queue.clone()),
        edge: edge.clone(),
        readiness: readiness.clone(),
        site: site(&config)?,
    };
    let metrics = Arc::new(Metrics::new());
    let usual = usual_policy(&config, &keyring, &metrics);
    let gateway = Arc::new(gateway(&config, mounts::services(&config, states, &usual), &clock, stopping));
    let _ = own_gateway.set(Arc::downgrade(&gateway));
    let admin = Arc::new(Admin {
        readiness: readiness.clone(),
        edge: edge.clone(),
        metrics,
        clock: clock.clone(),
        access_token,
        token_log: TokenLog::default(),
        loopback_only: gateway.loopback_only,
    });
    let mut tasks = Tasks { stop: CancellationToken::new(), clock, running: Vec::new() };
    tasks.send_mails(queue, smtp, config.server.drain);
    tasks.follow(rest, auth, (config.keys, keyring));
    tasks.run_functions(edge.as_ref(), &database);
    let functions = Functions { edge, port: listening.port() };
    Ok(Assembled { gateway, admin, background: Background { tasks, functions, database, readiness } })
}

/// What the policies of the services have in common.
fn usual_policy(config: &Config, keyring: &Arc<Keyring>, metrics: &Arc<Metrics>) -> Policy {
    let api_keys = ApiKeys::new(&config.keys, config.server.require_api_key);
    let verifier = Verifier::new(Arc::clone(keyring), banyan_identity::Policy::of_gateway(api_keys));
    Policy {
        prefix: "",
        name: "",
        is_on: true,
        cors: CorsRule::AnyOrigin { cookies: false },
        preflights: Preflights::Gateway,
        pages: PageRule::OfProject,
        body: BodyRule::Buffered(BodyLimit { bytes: config.server.max_body, by_declared_length: true }),
        admission: AdmissionClass::Counted,
        deadline: Some(config.server.request_timeout),
        upgrades: None,
        identification: Identification::of(verifier),
        request_ids: true,
        observer: Arc::new(RequestLog { metrics: Arc::clone(metrics) }),
        refusals: Refusal::response,
    }
}

fn gateway(config: &Config, services: Services, clock: &Clock, stopping: CancellationToken) -> Gateway {
    let proxies = config.auth.client_address.trusted_proxies.clone();
    Gateway {
        services,
        admission: Admission::of(machine::memory(), config.server.max_body).shared(proxies),
        clock: clock.clone(),
        loopback_only: !config.server.demo_keys && config.keys.everybody_knows().is_some(),
        pages: AllowedPages::of(config),
        stopping,
    }
}

/// The built app. Without a folder of it there are no files.
fn site(config: &Config) -> Result<StaticFiles, ServerError> {
    let folder = config.server.site.as_deref().filter(|folder| folder.is_dir());
    let source = folder.map_or(Source::Embedded(&[]), Source::Folder);
    StaticFiles::load(source, config.api_url()).map_err(ServerError::Site)
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
        None => Box::pin(std::future::ready(Refusal::NotRunning.response())),
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

/// Tasks beside the requests.
struct Tasks {
    stop: CancellationToken,
    clock: Clock,
    running: Vec<JoinHandle<()>>,
}

impl Tasks {
    fn spawn(&mut self, task: impl Future<Output = ()> + Send + 'static) {
        self.running.push(tokio::spawn(task));
    }

    fn send_mails(&mut self, queue: MailQueue, smtp: SmtpSettings, drain: Duration) {
        let stop = Shutdown::within(of_tasks(drain), self.stop.clone());
        self.spawn(banyan_mail::drain(queue, smtp, self.clock.clone(), stop));
    }

    /// Follows changes of the schema and of the signing keys, and removes what auth needs no more.
    fn follow(
        &mut self,
        rest: Arc<banyan_rest::State>,
        auth: banyan_auth::State,
        (keys, keyring): (Keys, Arc<Keyring>),
    ) {
        let stop = self.stop.clone();
        self.spawn(async move { rest.follow(stop).await });
        self.spawn(banyan_auth::housekeep(auth, self.clock.clone(), self.stop.clone()));
        self.spawn(signing_keys::follow(keys, keyring, self.stop.clone()));
    }

    fn run_functions(&mut self, edge: Option<&Arc<banyan_edge::State>>, database: &Database) {
        let Some(edge) = edge else { return };
        let (watched, stop_watching) = (Arc::clone(edge), self.stop.clone());
        self.spawn(async move {
            if let Err(error) = watched.watch(stop_watching).await {
                tracing::error!(error = %error, "functions are not reloaded when they change");
            }
        });
        let (clock, stop) = (self.clock.clone(), self.stop.clone());
        self.spawn(call_scheduled(Arc::clone(edge), clock, database.clone(), stop));
    }

    async fn end(self, grace: Duration) {
        self.stop.cancel();
        for task in self.running {
            if tokio::time::timeout(grace, task).await.is_err() {
                tracing::warn!("a background task did not stop in time");
            }
        }
    }
}

/// Calls scheduled functions, each on one node at a time (product decision D17).
async fn call_scheduled(
    edge: Arc<banyan_edge::State>,
    clock: Clock,
    database: Database,
    stop: CancellationToken,
) {
    let leases = Leases::new(database);
    let claimed = leases.clone();
    let try_claim = move |function: String, every: Duration| {
        let leases = claimed.clone();
        async move {
            let lease = leases.claim(&format!("schedule of {function}"), every).await;
            lease.unwrap_or_else(|error| {
                tracing::warn!(function, error = %error, "a scheduled call is left out: the database does not answer");
                None
            })
        }
    };
    banyan_edge::schedules::run(edge, clock, try_claim, stop).await;
    leases.wait_released().await;
}

fn failed(service: &'static str, error: &dyn std::error::Error) -> ServerError {
    ServerError::Service { service, message: error.to_string() }
}
