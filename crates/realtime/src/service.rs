use std::sync::Arc;

use banyan_config::Config;
use banyan_db::Database;
use banyan_identity::Identified;
use banyan_web::{Body, json_response};
use http::{Request, Response, StatusCode};
use rand::rngs::StdRng;
use serde_json::json;
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;

use crate::hub::Hub;

/// What the realtime service works with. Cheap to clone.
#[derive(Clone)]
pub struct State {
    #[expect(dead_code, reason = "sockets are next")]
    service: Arc<ServiceContext>,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").finish_non_exhaustive()
    }
}

#[expect(dead_code, reason = "sockets are next")]
struct ServiceContext {
    database: Database,
    hub: Hub,
    rng: std::sync::Mutex<StdRng>,
}

impl State {
    /// A service over a database. `rng` must be seeded from the system's randomness.
    #[must_use]
    pub fn new(_config: &Config, database: &Database, rng: StdRng) -> Self {
        let (database, rng) = (database.clone(), std::sync::Mutex::new(rng));
        Self { service: Arc::new(ServiceContext { database, hub: Hub::default(), rng }) }
    }
}

/// Finds the caller anew by a token that a message brought. The key that the socket was opened with
/// still counts.
pub type TokenCheck = Arc<dyn Fn(&str, OffsetDateTime) -> Identified + Send + Sync>;

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
pub async fn handle(_state: &State, opening: Opening) -> Response<Body> {
    drop(opening);
    json_response(StatusCode::NOT_FOUND, &json!({"message": "Not Found"}))
}
