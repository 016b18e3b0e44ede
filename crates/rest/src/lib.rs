//! Answers `/rest/v1` like PostgREST, in five stages: parse, plan, render, run, respond.
//!
//! A request's shape is planned and rendered once; the values travel apart from it, and PostgreSQL
//! builds the body. The crate opens no socket, and knows no service beside it. Source: CONTRACT.md;
//! db/CONTRACT.md PG-PIPELINE-ATOMIC.

/// Stage 1: from HTTP to what is asked for.
pub mod request;

/// Schema of the database, as a snapshot.
pub mod schema;

/// Stage 2: from the request to a plan.
pub mod plan;

/// Stage 3: from the plan to SQL.
pub mod sql;

/// Stage 4: the statement is sent to the database.
pub mod run;

/// Stage 5: from what came back to HTTP.
pub mod response;

/// Settings of requests.
pub mod settings;

/// Reads the settings.
pub mod configuration;

/// The memory budget of bodies that are built here.
mod budget;

/// Every way a request can fail, and its wire form.
pub mod error;

use std::sync::Arc;

use banyan_db::Database;
use banyan_identity::{Caller, Identified, TokenError};
use banyan_web::{Body, BodyError, read_body};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response};
use time::OffsetDateTime;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use self::{
    budget::Budget,
    configuration::CurrentConfiguration,
    error::{BodyFault, Error},
    plan::Plan,
    request::ApiRequest,
    response::timing::Timing,
    schema::{
        Catalog, Snapshot,
        reload::{Reload, SchemaCache},
    },
    sql::Rendered,
};
pub use self::{
    configuration::Configuration,
    response::timing::TokenTime,
    schema::reload::{LoadStatistics, SchemaLoads},
    settings::Settings,
};

/// Time a body may take to arrive, while it waits in memory.
const LONGEST_UPLOAD: std::time::Duration = std::time::Duration::from_secs(30);

/// The service: its database, where its settings come from, and what it knows of the schema.
#[derive(Debug)]
pub struct State {
    database: Database,
    configuration: Configuration,
    /// Settings until the database answers for the first time.
    first_settings: Arc<Settings>,
    schema: SchemaCache,
    budget: Budget,
}

impl State {
    /// A service that knows no schema yet: it answers PGRST002 until [`State::load`] or
    /// [`State::follow`] read it.
    #[must_use]
    pub fn new(database: Database, configuration: impl Into<Configuration>) -> Self {
        let configuration = configuration.into();
        let first_settings =
            configuration.without_database().map(|current| current.settings).unwrap_or_default();
        let (schema, budget) = (SchemaCache::default(), Budget::of(u64::MAX));
        Self { database, configuration, first_settings, schema, budget }
    }

    /// Limits the memory that is built for requests to a part of `memory` bytes.
    #[must_use]
    pub fn within(self, memory: u64) -> Self {
        Self { budget: Budget::of(memory), ..self }
    }

    /// Reads configuration and schema once; false when that failed, which is logged. The server
    /// calls it before it opens its socket (CONTRACT.md L02).
    pub async fn load(&self) -> bool {
        // The catalog has many rows, so this large future is kept off the caller's stack.
        Box::pin(self.schema.reload(&self.database, &self.configuration)).await
    }

    /// Reads the schema again whenever it changes, until `stop` (CONTRACT.md L03 to L12).
    pub async fn follow(&self, stop: CancellationToken) {
        self.schema.follow(&self.database, &self.configuration, stop).await;
    }

    /// The current schema, with its settings.
    ///
    /// # Errors
    /// PGRST002 before the first load.
    pub fn snapshot(&self) -> Result<Arc<Snapshot>, Error> {
        self.schema.current()
    }

    /// Asks [`State::follow`] to read configuration and schema, as SIGUSR1 does (CONTRACT.md L04).
    pub fn reload_schema(&self) {
        self.schema.ask(Reload::Schema);
    }

    /// Asks [`State::follow`] to read the configuration, as SIGUSR2 does (CONTRACT.md L04).
    pub fn reload_configuration(&self) {
        self.schema.ask(Reload::Configuration);
    }

    /// A failure after which the process cannot continue; none until there is one (CONTRACT.md B04,
    /// B05). A server with other services need not stop for it.
    #[must_use]
    pub fn fatal(&self) -> watch::Receiver<Option<String>> {
        self.schema.fatal()
    }

    /// Reads the configuration once, as [`State::load`] does, to see whether its words can be used.
    ///
    /// # Errors
    /// [`banyan_config::ConfigError`] of an option; a database that does not answer is none.
    pub async fn check_configuration(&self) -> Result<(), banyan_config::ConfigError> {
        if self.database.ping().await.is_err() {
            return Ok(());
        }
        match self.configuration.read(&self.database).await {
            Err(configuration::ConfigurationError::Wrong(error)) => Err(error),
            Ok(_) | Err(configuration::ConfigurationError::Query(_)) => Ok(()),
        }
    }

    /// The current configuration and all its changes; none before the first read.
    #[must_use]
    pub fn configuration(&self) -> watch::Receiver<Option<CurrentConfiguration>> {
        self.schema.configuration()
    }

    /// Returns whether the schema is known and its last load succeeded, for readiness probes
    /// (CONTRACT.md Z03).
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.schema.current().is_ok() && !self.schema.is_pending()
    }

    /// The load of the schema that serves, and the load that began last.
    #[must_use]
    pub fn schema_loads(&self) -> SchemaLoads {
        self.schema.schema_loads()
    }

    /// How often the schema was loaded, and how long it took (CONTRACT.md Z04).
    #[must_use]
    pub fn load_statistics(&self) -> LoadStatistics {
        self.schema.load_statistics()
    }

    /// The schema as JSON; none before the first load (CONTRACT.md Z05).
    #[must_use]
    pub fn known_schema(&self) -> Option<serde_json::Value> {
        self.schema.current().ok().map(|snapshot| schema::as_json::of(&snapshot.catalog))
    }

    /// The door to PostgreSQL.
    #[must_use]
    pub fn database(&self) -> &Database {
        &self.database
    }
}

/// A plan and its SQL, kept for all requests of one shape.
#[derive(Debug)]
pub struct Prepared {
    /// The plan.
    pub plan: Plan,
    /// The plan as SQL.
    pub sql: Rendered,
}

impl Prepared {
    /// Bytes of SQL, of its fixed parameters and of what the plan takes from the catalog. It
    /// measures how much memory the kept statement takes.
    #[must_use]
    pub fn weight(&self) -> u64 {
        let templates = [&self.sql.main, &self.sql.estimate].into_iter().flatten();
        1024 + templates.map(sql::Template::weight).sum::<u64>() + self.plan.weight()
    }
}

/// Answers a request; errors become answers too. Dropping the future cancels the statement
/// (CONTRACT.md B12).
pub async fn handle(
    state: &State,
    caller: Identified,
    request: Request<Body>,
    _now: OffsetDateTime,
) -> Response<Body> {
    let head = request.method() == http::Method::HEAD;
    let snapshot = state.schema.current();
    let settings = match &snapshot {
        Ok(snapshot) => Arc::clone(&snapshot.settings),
        Err(_) => Arc::clone(&state.first_settings),
    };
    let trace = traced(&settings, request.headers());
    let mut sent = None;
    let mut response = match answer(state, caller, request, snapshot.as_deref(), &mut sent).await {
        Ok(response) => response,
        Err(error) => response::of_error(&error, head, &settings),
    };
    response::sign(response.headers_mut(), trace);
    if settings.log_queries
        && let Some(sent) = sent
    {
        response.extensions_mut().insert(sent);
    }
    response
}

/// The SQL of a request. It is added to the extensions of the answer if it is to be logged
/// (CONTRACT.md Z07).
#[derive(Debug, Clone)]
pub struct Sent(pub Arc<str>);

/// The five stages.
async fn answer(
    state: &State,
    caller: Identified,
    request: Request<Body>,
    snapshot: Result<&Snapshot, &Error>,
    sent: &mut Option<Sent>,
) -> Result<Response<Body>, Error> {
    let caller = recognised(caller)?;
    let snapshot = snapshot.map_err(|_| Error::NoSchema)?;
    let (parts, body) = request.into_parts();
    let body = collect(body).await?;
    let mut timing = Timing::start(parts.extensions.get().copied().unwrap_or_default());
    // Given back after the request and what was built for it, which are dropped before.
    let _form = budget::reserve_form(&state.budget, &parts.headers, &body)?;
    let mut request = request::parse(&parts, body, &snapshot.settings)?;
    request.understand(|media| snapshot.understood(media));
    timing.lap("parse");
    let prepared = snapshot
        .prepared(&request.shape, |catalog, settings| prepare(catalog, &request.shape, settings))
        .map_err(|error| as_sent(error, &request))?;
    timing.lap("plan");
    if budget::is_large(&request) {
        run::judge(&state.database, snapshot, &caller, &request, &prepared).await?;
    }
    budget::build_body(&state.budget, &mut request, &prepared)?;
    *sent = prepared.sql.main.as_ref().map(|template| Sent(Arc::clone(&template.text)));
    let outcome = run::run(&state.database, snapshot, &caller, &request, &prepared).await?;
    timing.lap("transaction");
    let mut response = response::of(&request, &prepared.plan, outcome, snapshot)?;
    timing.lap("response");
    if snapshot.settings.timing {
        timing.set(response.headers_mut());
    }
    Ok(response)
}

/// The header of the request that its answer repeats (CONTRACT.md Y11).
fn traced(settings: &Settings, headers: &HeaderMap) -> Option<(HeaderName, HeaderValue)> {
    let name = HeaderName::from_bytes(settings.trace_header.as_ref()?.as_bytes()).ok()?;
    let value = headers.get(&name)?.clone();
    Some((name, value))
}

/// A refusal of what was not understood, in the request's own words: the shape does not hold them.
fn as_sent(error: Error, request: &ApiRequest) -> Error {
    match error {
        Error::MediaType(_) => {
            Error::MediaType(request.accept.iter().map(|media| media.text().into_owned()).collect())
        }
        Error::Preferences(_) => Error::Preferences(request.other_preferences.unknown.clone()),
        other => other,
    }
}

/// Plans and renders a shape.
fn prepare(catalog: &Catalog, shape: &request::Shape, settings: &Settings) -> Result<Prepared, Error> {
    let plan = plan::resolve(shape, catalog, settings)?;
    let sql = sql::render(&plan, settings);
    Ok(Prepared { plan, sql })
}

/// The caller; a scheme other than `Bearer` is nobody's (CONTRACT.md T01).
fn recognised(caller: Identified) -> Result<Caller, Error> {
    match caller {
        Err(TokenError::Scheme) => Ok(Caller::anonymous()),
        other => Ok(other?),
    }
}

/// The whole body, whose size the gateway limits. One that trickles in is given up.
async fn collect(body: Body) -> Result<Bytes, Error> {
    let whole = tokio::time::timeout(LONGEST_UPLOAD, read_body(body, usize::MAX)).await;
    whole.unwrap_or(Err(BodyError::EndedEarly)).map_err(|error| match error {
        BodyError::TooLarge => Error::BodyTooLarge,
        BodyError::EndedEarly => Error::Body(BodyFault::Incomplete),
    })
}
