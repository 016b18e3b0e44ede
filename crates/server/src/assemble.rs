//! Builds every service's state from the configuration: the one place where the parts meet.

use std::{
    net::SocketAddr,
    sync::{Arc, OnceLock, Weak},
};

use banyan_config::{Config, machine, postgrest::Layers};
use banyan_db::{Database, Login};
use banyan_edge::Dispatch;
use banyan_identity::{Clock, Keyring};
use banyan_mail::{MailQueue, SmtpSettings};
use rand::{SeedableRng, rngs::StdRng};
use secrecy::SecretString;
use tokio_util::sync::CancellationToken;
use url::Url;

use crate::{
    ServerError,
    admin::Admin,
    admission::Admission,
    background::{Background, Tasks},
    foreign_pages::AllowedPages,
    functions::Functions,
    gateway::Gateway,
    metrics::Metrics,
    mounts::{self, States},
    readiness::Readiness,
    refusal::Refusal,
    service::Services,
    static_files::{Owner, Source, StaticFiles},
    wrong_access_tokens::WrongAccessTokens,
};

/// What a server is made of. The database must hold the platform and the schemas of the services.
pub struct Parts {
    /// The checked configuration.
    pub config: Config,
    /// The door to PostgreSQL.
    pub database: Database,
    /// Where mail goes; where that is nowhere, mails wait in the queue.
    pub smtp: Option<SmtpSettings>,
    /// The time.
    pub clock: Clock,
    /// What management commands present; an empty one opens nothing.
    pub access_token: SecretString,
}

/// What the two listeners answer by, and what runs beside them.
pub(crate) struct Assembled {
    pub(crate) gateway: Arc<Gateway>,
    pub(crate) admin: Arc<Admin>,
    pub(crate) background: Background,
}

/// Builds the gateway and starts what runs beside it. `stopping` is cancelled when the listeners
/// stop.
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
    let states = states(&config, &database, (&keyring, &queue, &clock), own_address(&own_gateway)).await?;

    let mut tasks = Tasks::new(clock.clone(), database);
    if let Some(smtp) = smtp {
        tasks.send_mails(queue, smtp, config.server.drain);
    }
    tasks.follow_schema(Arc::clone(&states.rest));
    tasks.keep_auth_tidy(states.auth.clone());
    if let Some(storage) = &states.storage {
        tasks.keep_storage_tidy(storage);
    }
    if let Some(realtime) = &states.realtime {
        tasks.run_realtime(realtime.clone());
    }
    let realtime = states.realtime.clone();
    tasks.follow_signing_keys(config.keys.clone(), Arc::clone(&keyring), move || {
        realtime.iter().for_each(banyan_realtime::State::disconnect);
    });
    if let Some(edge) = &states.edge {
        tasks.run_functions(Arc::clone(edge));
    }
    let functions = Functions { edge: states.edge.clone(), port: listening.port() };
    let readiness = states.readiness.clone();

    let metrics = Arc::new(Metrics::new(|registry| {
        if let Some(realtime) = &states.realtime {
            realtime.register_metrics(registry);
        }
    }));
    let default = mounts::default_policy(&config, &keyring, &metrics);
    let gateway = gateway(&config, mounts::services(&config, states, &default), &clock, stopping);
    let admin = Admin {
        readiness: readiness.clone(),
        edge: functions.edge.clone(),
        metrics,
        clock,
        access_token,
        wrong_access_tokens: WrongAccessTokens::default(),
        loopback_only: gateway.loopback_only,
    };
    let gateway = Arc::new(gateway);
    let _ = own_gateway.set(Arc::downgrade(&gateway));
    let background = Background { functions, readiness, tasks };
    Ok(Assembled { gateway, admin: Arc::new(admin), background })
}

/// What each service works with. `own` answers calls to the stack's own API.
async fn states(
    config: &Config,
    database: &Database,
    (keyring, queue, clock): (&Arc<Keyring>, &MailQueue, &Clock),
    own: Dispatch,
) -> Result<States, ServerError> {
    let edge = edge(config, keyring, Arc::clone(&own)).await?;
    let rest = banyan_rest::State::new(database.clone(), Layers::of_stack(&config.api));
    let rest = Arc::new(rest.within(machine::memory()));
    rest.load().await;
    let storage = storage(config, database, keyring).await?;
    let readiness = Readiness {
        database: database.clone(),
        rest: Arc::clone(&rest),
        storage: storage.clone(),
        edge: edge.clone(),
    };
    Ok(States {
        auth: auth(config, database, keyring, queue, own)?,
        mail: banyan_mail::State::new(queue.clone()),
        storage,
        realtime: realtime(config, database, clock),
        readiness,
        site: site(config)?,
        rest,
        edge,
    })
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
    let api = config.api_url();
    let own =
        [api, &config.auth.site_url].map(|url| Some(Url::parse(url).ok()?.origin().ascii_serialization()));
    let owner = Owner {
        connect: &[api.to_owned(), api.replacen("http", "ws", 1)],
        origins: &own.into_iter().flatten().collect::<Vec<_>>(),
        not_built: "The app is not built. In the checkout of the stack, scripts/start builds it. In a project of your \
                    own, set server.site in banyan.toml to the folder of your built app.",
        setting: "server.site",
    };
    StaticFiles::load(source, owner).map_err(ServerError::Site)
}

fn auth(
    config: &Config,
    database: &Database,
    keyring: &Arc<Keyring>,
    queue: &MailQueue,
    own: Dispatch,
) -> Result<banyan_auth::State, ServerError> {
    let rng = StdRng::from_os_rng();
    let state = banyan_auth::State::new(config, database, Arc::clone(keyring), queue.clone(), rng)
        .map_err(|error| failed("auth", &error))?;
    if config.edge_runtime.enabled {
        state.call_functions_by(own);
    }
    Ok(state)
}

/// The storage service; none where it is switched off.
async fn storage(
    config: &Config,
    database: &Database,
    keyring: &Arc<Keyring>,
) -> Result<Option<banyan_storage::State>, ServerError> {
    if !config.storage.enabled {
        return Ok(None);
    }
    let mut rng = StdRng::from_os_rng();
    let blobs = banyan_storage::open(&config.storage, database, &mut rng).await;
    let blobs = blobs.map_err(|error| failed("storage", &error))?;
    Ok(Some(banyan_storage::State::new(config, database, Arc::clone(keyring), blobs, rng)))
}

/// The realtime service; none where it is switched off.
fn realtime(config: &Config, database: &Database, clock: &Clock) -> Option<banyan_realtime::State> {
    let state = || banyan_realtime::State::new(config, database, clock.clone(), StdRng::from_os_rng());
    config.realtime.enabled.then(state)
}

/// What functions, and hooks that are functions, ask of the stack's own address comes back into the
/// gateway.
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

fn failed(service: &'static str, error: &dyn std::error::Error) -> ServerError {
    ServerError::Service { service, message: error.to_string() }
}
