//! Answers `/rest/v1` like PostgREST, in five stages: parse, plan, render, run, respond.
//!
//! A request's shape is planned and rendered once; the values travel apart from it, and PostgreSQL builds the body. The
//! crate opens no socket, and knows no service beside it. Source: rest.md; decisions P08.

/// Stage 1: from HTTP to what is asked for.
pub mod request;

/// What the database looks like, as a snapshot.
pub mod schema;

/// Stage 2: from what is asked for to what is to be done.
pub mod plan;

/// Stage 3: from what is to be done to SQL.
pub mod sql;

/// Stage 4: the flight to the database.
pub mod run;

/// Stage 5: from what came back to HTTP.
pub mod response;

/// What the service is told at start.
pub mod settings;

/// Every way a request can fail, and its wire form.
pub mod error;

use std::sync::Arc;

use banyan_db::Database;
use banyan_identity::{Caller, Identified, TokenError};
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, LengthLimitError, combinators::UnsyncBoxBody};
use time::OffsetDateTime;
use tokio_util::sync::CancellationToken;

pub use self::settings::Settings;
use self::{
    error::{BodyFault, Error},
    plan::Plan,
    schema::{Catalog, Snapshot, reload::Schema},
    sql::Rendered,
};

/// Any error a body can break off with.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A body of a request or an answer.
pub type Body = UnsyncBoxBody<Bytes, BoxError>;

/// Time a body may take to arrive, while it waits in memory.
const LONGEST_UPLOAD: std::time::Duration = std::time::Duration::from_secs(30);

/// The service: its database, what it was told at start, and what it knows of the schema.
#[derive(Debug)]
pub struct State {
    database: Database,
    configured: Settings,
    schema: Schema,
}

impl State {
    /// A service that knows no schema yet: it answers PGRST002 until [`State::load`] or [`State::follow`] read it.
    #[must_use]
    pub fn new(database: Database, configured: Settings) -> Self {
        Self { database, configured, schema: Schema::default() }
    }

    /// Reads the schema once; false when that failed, which is logged. The server calls it before it opens its socket
    /// (rest.md L02).
    pub async fn load(&self) -> bool {
        self.schema.reload(&self.database, &self.configured).await
    }

    /// Reads the schema again whenever it changes, until `stop` (rest.md L03 to L12).
    pub async fn follow(&self, stop: CancellationToken) {
        self.schema.follow(&self.database, &self.configured, stop).await;
    }

    /// What the service knows of the schema now, and by which settings.
    ///
    /// # Errors
    /// PGRST002 before the first load.
    pub fn snapshot(&self) -> Result<Arc<Snapshot>, Error> {
        self.schema.current()
    }

    /// Whether the schema is known, for readiness probes.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.schema.current().is_ok()
    }
}

/// A plan and its SQL, kept for all requests of one shape.
#[derive(Debug)]
pub struct Prepared {
    /// What is to be done.
    pub plan: Plan,
    /// As SQL.
    pub sql: Rendered,
}

/// Answers a request; errors become answers too. Dropping the future cancels the statement (rest.md B12).
pub async fn handle(
    state: &State,
    caller: Identified,
    request: Request<Body>,
    _now: OffsetDateTime,
) -> Response<Body> {
    let head = request.method() == http::Method::HEAD;
    match answer(state, caller, request).await {
        Ok(response) => response,
        Err(error) => response::of_error(&error, head),
    }
}

/// The five stages.
async fn answer(state: &State, caller: Identified, request: Request<Body>) -> Result<Response<Body>, Error> {
    let caller = recognised(caller)?;
    let snapshot = state.schema.current()?;
    let (parts, body) = request.into_parts();
    let request = request::parse(&parts, collect(body).await?, &snapshot.settings)?;
    let prepared =
        snapshot.prepared(&request.shape, |catalog, settings| prepare(catalog, &request.shape, settings))?;
    let outcome = run::run(&state.database, &snapshot, &caller, &request, &prepared).await?;
    response::of(&request, &prepared.plan, outcome, &snapshot)
}

/// Plans and renders a shape.
fn prepare(catalog: &Catalog, shape: &request::Shape, settings: &Settings) -> Result<Prepared, Error> {
    let plan = plan::resolve(shape, catalog, settings)?;
    let sql = sql::render(&plan, settings);
    Ok(Prepared { plan, sql })
}

/// The caller; a scheme other than `Bearer` is nobody's (rest.md T01).
fn recognised(caller: Identified) -> Result<Caller, Error> {
    match caller {
        Err(TokenError::Scheme) => Ok(Caller::anonymous()),
        other => Ok(other?),
    }
}

/// The whole body; one that trickles in is given up.
async fn collect(body: Body) -> Result<Bytes, Error> {
    let whole = tokio::time::timeout(LONGEST_UPLOAD, body.collect()).await;
    let whole = whole.map_err(|_| Error::Body(BodyFault::Incomplete))?.map_err(|error| match error
        .downcast_ref::<LengthLimitError>(
    ) {
        Some(_) => Error::BodyTooLarge,
        None => Error::Body(BodyFault::Incomplete),
    })?;
    Ok(whole.to_bytes())
}
