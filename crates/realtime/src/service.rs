use std::{
    sync::{Arc, Mutex, Once},
    time::Duration,
};

use banyan_config::Config;
use banyan_db::Database;
use banyan_identity::Clock;
use banyan_web::{Body, json_response};
use http::{Method, Response, StatusCode};
use prometheus_client::registry::Registry;
use rand::rngs::StdRng;
use serde_json::json;
use tokio_util::{
    sync::CancellationToken,
    task::{AbortOnDropHandle, TaskTracker},
};

use crate::{
    authorization::Authorization,
    bus::Alone,
    changes::Changes,
    context::{Opening, ServiceContext, Sockets},
    endpoints::{broadcast, ping, websocket},
    hub::Hub,
    limits::Limits,
    metrics::Metrics,
    patience::Patience,
    sessions::{self, Sessions},
};

/// Sockets that are told to go at a time.
const BATCH: usize = 500;
/// Time between two batches.
const PAUSE: Duration = Duration::from_millis(50);

/// What the realtime service works with. Cheap to clone.
#[derive(Clone)]
pub struct State {
    service: Arc<ServiceContext>,
    patience: Patience,
    follows_stop: Arc<Once>,
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
    pub fn new(config: &Config, database: &Database, clock: Clock, rng: StdRng) -> Self {
        let sessions = Arc::<Sessions>::default();
        let ended_sessions = tokio::spawn(sessions::follow(database.clone(), Arc::clone(&sessions)));
        let hub = Arc::<Hub>::default();
        let service = ServiceContext {
            clock,
            changes: Changes::new(database, Arc::clone(&hub), Arc::new(Alone)),
            hub,
            sessions,
            authorization: Authorization::new(database),
            limits: Limits::new((&config.realtime).into()),
            metrics: Metrics::default(),
            rng: Mutex::new(rng),
            sockets: Arc::<Sockets>::default(),
            tasks: TaskTracker::new(),
        };
        Self {
            service: Arc::new(service),
            patience: Patience::default(),
            follows_stop: Arc::new(Once::new()),
            _ended_sessions: Arc::new(AbortOnDropHandle::new(ended_sessions)),
        }
    }

    /// The same service, which waits for its clients so long.
    #[must_use]
    pub fn with_patience(self, patience: Patience) -> Self {
        Self { patience, ..self }
    }

    /// What the requests of the service work with.
    #[cfg(test)]
    pub(crate) fn service(&self) -> &Arc<ServiceContext> {
        &self.service
    }

    /// Adds what the service counts to what Prometheus reads (CONTRACT.md M5).
    pub fn register_metrics(&self, registry: &mut Registry) {
        let sockets = Arc::clone(&self.service.sockets);
        self.service.metrics.register(registry, move || sockets.count());
    }

    /// Tells the sockets to go once the server stops (CONTRACT.md C14, M8).
    fn follow(&self, stopping: &CancellationToken) {
        self.follows_stop.call_once(|| {
            let (stopping, sockets) = (stopping.clone(), Arc::clone(&self.service.sockets));
            let changes = self.service.changes.clone();
            self.service.tasks.spawn(async move {
                stopping.cancelled().await;
                changes.stop().await;
                let mut after = 0;
                while let Some(last) = sockets.disconnect_some(after, BATCH) {
                    after = last;
                    tokio::time::sleep(PAUSE).await;
                }
            });
        });
    }
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
