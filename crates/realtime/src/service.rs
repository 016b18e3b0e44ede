use std::sync::{Arc, Mutex, Once};

use banyan_config::Config;
use banyan_db::Database;
use banyan_identity::Clock;
use banyan_web::{Body, json_response};
use http::{Method, Response, StatusCode};
use prometheus_client::registry::Registry;
use rand::{Rng, rngs::StdRng};
use serde_json::json;
use tokio_util::{
    sync::CancellationToken,
    task::{AbortOnDropHandle, TaskTracker},
};

use crate::{
    authorization::Authorization,
    bus::{Alone, Bus, Nats, NatsSettings},
    changes::{Changes, ChangesContext},
    cluster::Cluster,
    context::{Opening, ServiceContext, Sockets},
    endpoints::{broadcast, ping, websocket},
    hub::Hub,
    limits::Limits,
    metrics::Metrics,
    model::NodeId,
    patience::Patience,
    presence::{Presence, PresenceSettings},
    sessions::{self, Sessions},
};

/// What the realtime service works with. Cheap to clone.
#[derive(Clone)]
pub struct State {
    service: Arc<ServiceContext>,
    patience: Patience,
    follows_stop: Arc<Once>,
    /// None where there is one node.
    nats: Option<Nats>,
    /// Hears of ended sessions until the last clone is dropped.
    _ended_sessions: Arc<AbortOnDropHandle<()>>,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").finish_non_exhaustive()
    }
}

impl State {
    /// A service over a database. `rng` must be seeded from the system's randomness.
    #[must_use]
    pub fn new(config: &Config, database: &Database, clock: Clock, mut rng: StdRng) -> Self {
        let node = NodeId(rng.random());
        let nats = nats(config, node);
        let bus: Arc<dyn Bus> = nats.clone().map_or_else(|| Arc::new(Alone) as _, |nats| Arc::new(nats) as _);
        let hub = Arc::new(Hub::new(Arc::clone(&bus)));
        let timing =
            PresenceSettings { delay: config.realtime.presence_delay, beat: config.realtime.node_beat };
        let sessions = Arc::<Sessions>::default();
        let ended_sessions = tokio::spawn(sessions::follow(database.clone(), Arc::clone(&sessions)));
        let (limits, metrics) = (Arc::new(Limits::new((&config.realtime).into())), Metrics::default());
        let changes = Changes::new(ChangesContext {
            database: database.clone(),
            hub: Arc::clone(&hub),
            bus: Arc::clone(&bus),
            limits: Arc::clone(&limits),
            delivered: metrics.channel_db_events.clone(),
            skipped: metrics.changes_skipped.clone(),
        });
        let service = ServiceContext {
            clock,
            database: database.clone(),
            changes,
            presence: Presence::new(node, timing, &hub, bus),
            hub,
            sessions,
            authorization: Authorization::new(database),
            limits,
            metrics,
            rng: Mutex::new(rng),
            sockets: Arc::<Sockets>::default(),
            tasks: TaskTracker::new(),
        };
        Self {
            service: Arc::new(service),
            patience: Patience::default(),
            follows_stop: Arc::new(Once::new()),
            nats,
            _ended_sessions: Arc::new(AbortOnDropHandle::new(ended_sessions)),
        }
    }

    /// The same service, which waits for its clients so long.
    #[must_use]
    pub fn with_patience(self, patience: Patience) -> Self {
        Self { patience, ..self }
    }

    /// Tells sockets and other nodes of presence, and hears the other nodes, until the stop. Then
    /// it ends the stream of the log.
    pub async fn run(self, stopping: CancellationToken) {
        let ServiceContext { hub, presence, changes, .. } = &*self.service;
        let ending_log = async {
            stopping.cancelled().await;
            changes.stop().await;
        };
        let Some(nats) = &self.nats else {
            tokio::join!(presence.run(stopping.clone()), ending_log);
            return;
        };
        let (hub, presence, changes) = (Arc::clone(hub), presence.clone(), changes.clone());
        let receiver = Arc::new(Cluster { hub, presence: presence.clone(), changes });
        // The last words of presence leave before the bus ends.
        let presence_ended = CancellationToken::new();
        let telling = async {
            presence.run(stopping.clone()).await;
            presence_ended.cancel();
        };
        tokio::join!(nats.run(receiver, presence_ended.clone()), telling, ending_log);
    }

    /// Adds what the service counts to what Prometheus reads (CONTRACT.md M5).
    pub fn register_metrics(&self, registry: &mut Registry) {
        let sockets = Arc::clone(&self.service.sockets);
        let changes = self.service.changes.clone();
        self.service.metrics.register(registry, move || sockets.count(), move || changes.subscribers());
    }

    /// Tells the sockets to go; their clients come back. For keys that changed (CONTRACT.md L13,
    /// M9).
    pub fn disconnect(&self) {
        let (sockets, patience) = (Arc::clone(&self.service.sockets), self.patience);
        self.service.tasks.spawn(async move { sockets.disconnect(patience).await });
    }

    /// Tells the sockets to go once the server stops (CONTRACT.md C14, M8).
    fn follow(&self, stopping: &CancellationToken) {
        self.follows_stop.call_once(|| {
            let (stopping, sockets) = (stopping.clone(), Arc::clone(&self.service.sockets));
            let patience = self.patience;
            self.service.tasks.spawn(async move {
                stopping.cancelled().await;
                sockets.disconnect(patience).await;
            });
        });
    }
}

/// The bus of a cluster; none where there is one node (CONTRACT.md N1).
fn nats(config: &Config, node: NodeId) -> Option<Nats> {
    let servers = config.realtime.nats_servers.clone();
    let settings = NatsSettings { servers, project: config.project_id.clone() };
    (!settings.servers.is_empty()).then(|| Nats::new(settings, node))
}

/// Answers one request of `/realtime/v1`. Errors are answers too.
pub async fn handle(state: &State, opening: Opening) -> Response<Body> {
    let service = &state.service;
    match (opening.request.method(), opening.request.uri().path()) {
        // The second is that of the service without a gateway (CONTRACT.md C1).
        (&Method::GET, "/websocket" | "/socket/websocket") => {
            state.follow(&opening.stopping);
            websocket::open(service, state.patience, opening).await
        }
        (&Method::POST, "/api/broadcast") => broadcast::batch(service, opening).await,
        (&Method::POST, path) if path.starts_with("/api/broadcast/") => {
            broadcast::single(service, opening).await.unwrap_or_else(not_found)
        }
        (&Method::GET | &Method::HEAD, "/api/ping") => ping::ping(),
        (&Method::GET | &Method::HEAD, "/healthcheck") => ping::healthcheck(),
        _ => not_found(),
    }
}

fn not_found() -> Response<Body> {
    json_response(StatusCode::NOT_FOUND, &json!({"message": "Not Found"}))
}
