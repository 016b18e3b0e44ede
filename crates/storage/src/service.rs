use std::sync::{Arc, Mutex};

use banyan_config::Config;
use banyan_db::Database;
use banyan_identity::{ApiKeys, Identified, Keyring, Verifier, VerifierPolicy};
use banyan_web::Body;
use http::{Request, Response, Uri};
use rand::rngs::StdRng;
use time::OffsetDateTime;
use tokio_util::task::AbortOnDropHandle;

use crate::{
    blobs::Blobs,
    cache::{self, Caches},
    context::{Exchange, ServiceContext},
    patience::Patience,
    render::{RenderRate, Renderer},
    request_context::RequestContext,
    router, stack,
    wire::headers_as_json,
    writers::Writers,
};

/// What the storage service works with. Cheap to clone.
#[derive(Clone)]
pub struct State {
    service: Arc<ServiceContext>,
    patience: Patience,
    /// Hears of changed rows until the last clone is dropped.
    _changes: Arc<AbortOnDropHandle<()>>,
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
        let caches = Arc::<Caches>::default();
        let policy = VerifierPolicy::of_gateway(ApiKeys::new(&config.keys, false));
        let changes = cache::follow(database.listen(cache::CHANNEL), Arc::clone(&caches));
        Self {
            patience: Patience::default(),
            _changes: Arc::new(AbortOnDropHandle::new(tokio::spawn(changes))),
            service: Arc::new(ServiceContext {
                settings: config.storage.clone(),
                database: database.clone(),
                renderer: Renderer::for_this_machine(Arc::clone(&blobs.store)),
                render_rate: config.storage.renders_per_second.map(RenderRate::new),
                blobs: blobs.store,
                stack: blobs.stack,
                caches: Arc::clone(&caches),
                verifier: Verifier::new(Arc::clone(&keyring), policy),
                anon_key: config.keys.anon_key.clone(),
                keyring,
                rng: Mutex::new(rng),
                writers: Writers::default(),
                external_url: config.api_url().to_owned(),
            }),
        }
    }
}

impl State {
    /// The same service, which waits for its clients so long.
    #[must_use]
    pub fn with_patience(self, patience: Patience) -> Self {
        Self { patience, ..self }
    }

    /// Whether the back end of the bytes answers.
    pub async fn is_ready(&self) -> bool {
        stack::answers(&*self.service.blobs).await
    }

    /// What tasks of the service work with.
    pub(crate) fn service(&self) -> &Arc<ServiceContext> {
        &self.service
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
    let (body, patience) = state.patience.with(body);
    let (service, body) = (Arc::clone(&state.service), Mutex::new(body));
    let exchange = Exchange { service, context, parts, patience, body };
    router::answer(exchange).await
}
