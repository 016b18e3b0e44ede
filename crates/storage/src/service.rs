use std::sync::{Arc, Mutex};

use banyan_config::Config;
use banyan_db::Database;
use banyan_identity::{Identified, Keyring};
use banyan_web::Body;
use http::{Request, Response, Uri};
use rand::rngs::StdRng;
use time::OffsetDateTime;

use crate::{
    blobs::Blobs,
    context::{Exchange, RequestContext, ServiceContext},
    router,
    wire::headers_as_json,
    writers::Writers,
};

/// What the storage service works with. Cheap to clone.
#[derive(Clone)]
pub struct State {
    service: Arc<ServiceContext>,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").finish_non_exhaustive()
    }
}

impl State {
    /// A service over a database and a back end. `rng` must be seeded from the system's randomness.
    #[must_use]
    pub fn new(
        config: &Config,
        database: &Database,
        keyring: Arc<Keyring>,
        blobs: Blobs,
        rng: StdRng,
    ) -> Self {
        Self {
            service: Arc::new(ServiceContext {
                settings: config.storage.clone(),
                database: database.clone(),
                blobs: blobs.0,
                keyring,
                rng: Mutex::new(rng),
                writers: Writers::default(),
                external_url: config.api_url().to_owned(),
            }),
        }
    }
}

/// Answers one request of `/storage/v1`. The path of `request` has no such prefix; `original` has
/// it. Errors are answers too.
pub async fn handle(
    state: &State,
    caller: Identified,
    request: Request<Body>,
    original: &Uri,
    now: OffsetDateTime,
) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let context = RequestContext {
        caller,
        now,
        method: parts.method.clone(),
        original_path: original.path().to_owned(),
        headers: headers_as_json(&parts.headers),
        operation: "",
    };
    let exchange = Exchange { service: Arc::clone(&state.service), context, parts, body };
    router::answer(exchange).await
}
