use std::{
    sync::{Arc, Mutex, Once},
    time::Duration,
};

use banyan_config::Config;
use banyan_db::Database;
use banyan_identity::{Clock, Identified};
use banyan_web::{Body, json_response};
use http::{Method, Request, Response, StatusCode};
use rand::rngs::StdRng;
use serde_json::json;
use time::OffsetDateTime;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    authorization::Authorization,
    context::{ServiceContext, Sockets, TokenCheck},
    endpoints::websocket,
    hub::Hub,
    limits::{Limits, Settings},
    patience::Patience,
    sessions::Sessions,
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
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").finish_non_exhaustive()
    }
}

impl State {
    /// A service over a database. `rng` must be seeded from the system's randomness.
    #[must_use]
    pub fn new(_config: &Config, database: &Database, clock: Clock, rng: StdRng) -> Self {
        let service = ServiceContext {
            clock,
            hub: Arc::<Hub>::default(),
            sessions: Arc::<Sessions>::default(),
            authorization: Authorization::new(database),
            limits: Limits::new(Settings::default()),
            rng: Mutex::new(rng),
            sockets: Arc::<Sockets>::default(),
            tasks: TaskTracker::new(),
        };
        let patience = Patience::default();
        Self { service: Arc::new(service), patience, follows_stop: Arc::new(Once::new()) }
    }

    /// The same service, which waits for its clients so long.
    #[must_use]
    pub fn with_patience(self, patience: Patience) -> Self {
        Self { patience, ..self }
    }

    /// Tells the sockets to go once the server stops (CONTRACT.md C14, M8).
    fn follow(&self, stopping: &CancellationToken) {
        self.follows_stop.call_once(|| {
            let (stopping, sockets) = (stopping.clone(), Arc::clone(&self.service.sockets));
            self.service.tasks.spawn(async move {
                stopping.cancelled().await;
                let mut after = 0;
                while let Some(last) = sockets.disconnect_some(after, BATCH) {
                    after = last;
                    tokio::time::sleep(PAUSE).await;
                }
            });
        });
    }
}

/// A request of `/realtime/v1`, with what a socket needs as long as it is open.
pub struct Opening {
    /// The path has no prefix.
    pub request: Request<Body>,
    /// Who asks.
    pub caller: Identified,
    /// For tokens of later messages.
    pub check_token: TokenCheck,
    /// Cancelled when the server begins to stop.
    pub stopping: CancellationToken,
    /// The time of the request.
    pub now: OffsetDateTime,
}

/// Answers one request of `/realtime/v1`. Errors are answers too.
pub async fn handle(state: &State, opening: Opening) -> Response<Body> {
    match (opening.request.method(), opening.request.uri().path()) {
        // The second is that of the service without a gateway (CONTRACT.md C1).
        (&Method::GET, "/websocket" | "/socket/websocket") => {
            state.follow(&opening.stopping);
            websocket::open(&state.service, state.patience, opening).await
        }
        _ => json_response(StatusCode::NOT_FOUND, &json!({"message": "Not Found"})),
    }
}
