//! Every way a request can fail, and what the client reads of it (CONTRACT.md X01 to X10).

use banyan_db::{DatabaseError, RunError};
use banyan_identity::TokenError;
use http::{HeaderName, HeaderValue, Method, StatusCode, header};
use serde::Serialize;
use serde_json::Value;

/// Details of some errors, and their messages.
mod faults;

/// Refused tokens.
mod token;

/// Status and reason of an error of PostgreSQL.
mod sqlstate;

/// Hints: the name most like the one that was not found.
pub(crate) mod similar;

pub use self::faults::{AmbiguousRelationship, BodyFault, NoFunction, NoRelationship, Parse, RangeFault};

/// Why a request was refused or failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The query string has another form (PGRST100).
    #[error("the query string cannot be read")]
    Parse(Parse),
    /// A verb that functions do not know (PGRST101).
    #[error("method {0} on a function")]
    FunctionMethod(Method),
    /// The body cannot be used (PGRST102).
    #[error("the body cannot be used")]
    Body(BodyFault),
    /// The body is larger than the gateway allows (413).
    #[error("the body is too large")]
    BodyTooLarge,
    /// The bodies of other requests take all memory that there is for them (503).
    #[error("the memory budget for bodies is spent")]
    BudgetSpent,
    /// Rows that cannot be (PGRST103).
    #[error("the range cannot be satisfied")]
    Range(RangeFault),
    /// PUT without exactly the primary key (PGRST105).
    #[error("PUT needs filters on the primary key")]
    PutFilters,
    /// A schema that is not shown (PGRST106).
    #[error("schema {schema} is not exposed")]
    SchemaNotExposed {
        /// The schema asked for.
        schema: String,
        /// The schemas that are exposed.
        exposed: Vec<String>,
    },
    /// No media type the client takes is available (PGRST107).
    #[error("no acceptable media type")]
    MediaType(Vec<String>),
    /// A filter or order names a relation that `select` does not embed (PGRST108).
    #[error("{0} is not embedded")]
    NotEmbedded(String),
    /// A filter, order or range names an embedded relation by its target although it has an alias
    /// (PGRST108).
    #[error("{target} has the alias {alias}")]
    NamedByTarget {
        /// The name given.
        target: String,
        /// The name to give.
        alias: String,
    },
    /// The setting `response.headers` has another form (PGRST111).
    #[error("response.headers is malformed")]
    ResponseHeaders,
    /// The setting `response.status` is no status (PGRST112).
    #[error("response.status is malformed")]
    ResponseStatus,
    /// PUT with `limit` or `offset` (PGRST114).
    #[error("PUT with a range")]
    PutRange,
    /// The body of a PUT names another row than its URL (PGRST115).
    #[error("PUT with a body for another row")]
    PutMismatch,
    /// One row was asked for (PGRST116).
    #[error("{0} rows where one was asked for")]
    NotSingular(i64),
    /// A verb that relations do not know (PGRST117).
    #[error("method {0}")]
    Method(Method),
    /// An order by a column of a to-many relation (PGRST118).
    #[error("{origin} cannot be ordered by {target}")]
    RelatedOrder {
        /// The relation to be ordered.
        origin: String,
        /// The embedded relation.
        target: String,
    },
    /// Unknown preferences with `handling=strict` (PGRST122).
    #[error("unknown preferences")]
    Preferences(Vec<String>),
    /// Aggregates are switched off (PGRST123).
    #[error("aggregates are off")]
    Aggregates,
    /// More rows than `max-affected` (PGRST124).
    #[error("{0} rows affected")]
    MaxAffected(i64),
    /// A path of another form (PGRST125).
    #[error("the path names nothing")]
    Path,
    /// The root document is switched off (PGRST126).
    #[error("the root document is off")]
    RootDisabled,
    /// Something that is not done yet (PGRST127).
    #[error("not implemented: {0}")]
    NotImplemented(&'static str),
    /// `max-affected` on a function that returns one row (PGRST128).
    #[error("max-affected on a function that returns one row")]
    MaxAffectedSingle,
    /// No relationship leads from one relation to the other (PGRST200).
    #[error("no relationship between {} and {}", .0.origin, .0.target)]
    NoRelationship(Box<NoRelationship>),
    /// Several relationships do (PGRST201).
    #[error("several relationships between {} and {}", .0.origin, .0.target)]
    AmbiguousRelationship(Box<AmbiguousRelationship>),
    /// Two embedded relations have one key (42712).
    #[error("{0} is embedded twice")]
    SameKey(String),
    /// No function of that name takes those arguments (PGRST202).
    #[error("no function {}.{}", .0.schema, .0.function)]
    NoFunction(Box<NoFunction>),
    /// Several functions do (PGRST203).
    #[error("several functions fit")]
    AmbiguousFunction(Vec<String>),
    /// UPDATE or DELETE without a condition, where it wants one (21000, CONTRACT.md M10).
    #[error("{0} without a condition")]
    Unfiltered(&'static str),
    /// More columns than PostgreSQL can select (54011).
    #[error("too many columns")]
    TooManyColumns {
        /// Most columns.
        most: usize,
    },
    /// The body names a column that the relation does not have (PGRST204).
    #[error("no column {column} of {relation}")]
    NoColumn {
        /// The relation.
        relation: String,
        /// The column.
        column: String,
    },
    /// No relation of that name is shown (PGRST205).
    #[error("no relation {schema}.{relation}")]
    NoRelation {
        /// The schema searched.
        schema: String,
        /// The name.
        relation: String,
        /// The name that was likely meant.
        suggestion: Option<String>,
    },
    /// The catalog was not read yet (PGRST002).
    #[error("the schema is not loaded yet")]
    NoSchema,
    /// The token was refused (PGRST301 to PGRST303).
    #[error(transparent)]
    Token(#[from] TokenError),
    /// PostgreSQL refused, or could not be asked.
    #[error("the statement failed")]
    Run {
        /// The error of PostgreSQL.
        #[source]
        source: Box<RunError>,
        /// Whether the caller is the anonymous role, which reads 401 where others read 403
        /// (CONTRACT.md T24).
        anonymous: bool,
    },
    /// The database returned something this service did not ask for (PGRSTX00).
    #[error("unexpected result: {0}")]
    Result(&'static str),
}

/// The answer that the client reads: CONTRACT.md X01. The keys stand in alphabetical order.
#[derive(Debug, Serialize)]
pub struct Wire {
    /// `PGRSTnnn`, or an SQLSTATE.
    pub code: String,
    /// More about it.
    pub details: Value,
    /// Advice for the caller.
    pub hint: Value,
    /// The message.
    pub message: String,
    /// The status.
    #[serde(skip)]
    pub status: StatusCode,
    /// The words beside the status, where HTTP has room for them.
    #[serde(skip)]
    pub reason: Option<String>,
    /// Headers beside the usual ones.
    #[serde(skip)]
    pub headers: Vec<(HeaderName, HeaderValue)>,
}

impl Wire {
    fn new(status: u16, code: &str, message: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            details: Value::Null,
            hint: Value::Null,
            message: message.into(),
            status: StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
            reason: None,
            headers: Vec::new(),
        }
    }

    fn details(mut self, details: impl Into<Value>) -> Self {
        self.details = details.into();
        self
    }

    fn hint(mut self, hint: impl Into<Value>) -> Self {
        self.hint = hint.into();
        self
    }

    fn header(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.push((name, value));
        }
        self
    }
}

impl Error {
    /// The wire form.
    #[must_use]
    pub fn wire(&self) -> Wire {
        match self {
            Self::Parse(parse) => Wire::new(400, "PGRST100", &parse.message).details(parse.details.clone()),
            Self::FunctionMethod(method) => {
                Wire::new(405, "PGRST101", format!("Cannot use the {method} method on RPC"))
            }
            Self::Body(fault) => Wire::new(400, "PGRST102", fault.message()),
            Self::BodyTooLarge => Wire::new(413, "PGRST102", "The request body is larger than allowed"),
            Self::BudgetSpent => Wire::new(503, "PGRSTX00", "The server is busy. Please try again."),
            Self::Range(fault) => {
                Wire::new(416, "PGRST103", "Requested range not satisfiable").details(fault.details())
            }
            Self::PutFilters => Wire::new(
                405,
                "PGRST105",
                "Filters must include all and only primary key columns with 'eq' operators",
            ),
            Self::SchemaNotExposed { schema, exposed } => {
                Wire::new(406, "PGRST106", format!("Invalid schema: {schema}"))
                    .hint(format!("Only the following schemas are exposed: {}", exposed.join(", ")))
            }
            Self::MediaType(wanted) => Wire::new(
                406,
                "PGRST107",
                format!("None of these media types are available: {}", wanted.join(", ")),
            ),
            Self::NotEmbedded(name) => {
                Wire::new(400, "PGRST108", format!("'{name}' is not an embedded resource in this request"))
                    .hint(format!("Verify that '{name}' is included in the 'select' query parameter."))
            }
            Self::NamedByTarget { target, alias } => {
                Wire::new(400, "PGRST108", format!("'{target}' is not an embedded resource in this request"))
                    .details("Target names are not allowed in filters if they have an alias")
                    .hint(format!("Change '{target}' to '{alias}' in filters, orders or limits."))
            }
            Self::ResponseHeaders => Wire::new(
                500,
                "PGRST111",
                "response.headers guc must be a JSON array composed of objects with a single key and a string value",
            ),
            Self::ResponseStatus => {
                Wire::new(500, "PGRST112", "response.status guc must be a valid status code")
            }
            Self::PutRange => {
                Wire::new(400, "PGRST114", "limit/offset querystring parameters are not allowed for PUT")
            }
            Self::PutMismatch => {
                Wire::new(400, "PGRST115", "Payload values do not match URL in primary key column(s)")
            }
            Self::NotSingular(rows) => {
                Wire::new(406, "PGRST116", "Cannot coerce the result to a single JSON object")
                    .details(format!("The result contains {rows} rows"))
            }
            Self::Method(method) => Wire::new(405, "PGRST117", format!("Unsupported HTTP method: {method}")),
            Self::RelatedOrder { origin, target } => {
                Wire::new(400, "PGRST118", format!("A related order on '{target}' is not possible")).details(
                    format!(
                        "'{origin}' and '{target}' do not form a many-to-one or one-to-one relationship"
                    ),
                )
            }
            Self::Preferences(unknown) => {
                Wire::new(400, "PGRST122", "Invalid preferences given with handling=strict")
                    .details(format!("Invalid preferences: {}", unknown.join(", ")))
            }
            Self::Aggregates => Wire::new(400, "PGRST123", "Use of aggregate functions is not allowed"),
            Self::MaxAffected(rows) => {
                Wire::new(400, "PGRST124", "Query result exceeds max-affected preference constraint")
                    .details(format!("The query affects {rows} rows"))
            }
            Self::Path => Wire::new(404, "PGRST125", "Invalid path specified in request URL"),
            Self::RootDisabled => Wire::new(404, "PGRST126", "Root endpoint metadata is disabled"),
            Self::NotImplemented(what) => {
                Wire::new(400, "PGRST127", "Feature not implemented").details(*what)
            }
            Self::MaxAffectedSingle => Wire::new(
                400,
                "PGRST128",
                "Function must return SETOF or TABLE when max-affected preference is used with handling=strict",
            ),
            Self::NoRelationship(it) => it.wire(),
            Self::AmbiguousRelationship(it) => it.wire(),
            Self::SameKey(name) => {
                Wire::new(400, "42712", format!("table name \"{name}\" specified more than once"))
            }
            Self::NoFunction(call) => call.wire(),
            Self::AmbiguousFunction(candidates) => Wire::new(
                300,
                "PGRST203",
                format!("Could not choose the best candidate function between: {}", candidates.join(", ")),
            )
            .hint(
                "Try renaming the parameters or the function itself in the database so function overloading can be resolved",
            ),
            Self::Unfiltered(verb) => Wire::new(400, "21000", format!("{verb} requires a WHERE clause")),
            Self::TooManyColumns { most } => Wire::new(
                400,
                "54011",
                format!("target lists can have at most {most} entries"),
            ),
            Self::NoColumn { relation, column } => Wire::new(
                400,
                "PGRST204",
                format!("Could not find the '{}' column of '{relation}' in the schema cache", excerpt(column)),
            ),
            Self::NoRelation { schema, relation, suggestion } => Wire::new(
                404,
                "PGRST205",
                format!("Could not find the table '{schema}.{relation}' in the schema cache"),
            )
            .hint(suggestion.as_ref().map(|name| format!("Perhaps you meant the table '{schema}.{name}'"))),
            Self::NoSchema => {
                Wire::new(503, "PGRST002", "Could not query the database for the schema cache. Retrying.")
            }
            Self::Token(error) => token::wire(error),
            Self::Run { source, anonymous } => run(source, *anonymous),
            Self::Result(_) => Wire::new(500, "PGRSTX00", "The database returned an unexpected result"),
        }
    }
}

/// Shortens a name or a value of the request for a message: it may have any length.
pub(crate) fn excerpt(name: &str) -> std::borrow::Cow<'_, str> {
    match name.char_indices().nth(LONGEST_EXCERPT) {
        Some((end, _)) => format!("{}…", &name[..end]).into(),
        None => name.into(),
    }
}

/// Characters of a name or a value that a message shows.
const LONGEST_EXCERPT: usize = 200;

fn run(error: &RunError, anonymous: bool) -> Wire {
    match error {
        RunError::Database(error) => database(error, anonymous),
        RunError::Unavailable(_) => {
            Wire::new(503, "PGRST001", "Database client error. Retrying the connection.")
        }
        RunError::Login(_) | RunError::Unreachable(_) => {
            Wire::new(503, "PGRST000", "Database connection error. Retrying the connection.")
        }
        RunError::PoolTimeout(_) => {
            Wire::new(504, "PGRST003", "Timed out acquiring connection from connection pool.")
        }
        RunError::TooLarge { .. } => Wire::new(500, "PGRSTX00", "The result is larger than allowed"),
        RunError::Unsendable(_) => {
            Wire::new(400, "22021", "invalid byte sequence for encoding \"UTF8\": 0x00")
        }
        RunError::Protocol(_) => Wire::new(500, "PGRSTX00", "The database returned an unexpected result"),
    }
}

/// An error of PostgreSQL; checks that the statement itself made are found again here (see
/// [`crate::sql`]).
fn database(error: &DatabaseError, anonymous: bool) -> Wire {
    if error.code == "PGRST" {
        return sqlstate::raised(error);
    }
    let status = sqlstate::status(error, anonymous);
    let mut wire =
        Wire::new(status, &error.code, &error.message).details(error.detail.clone()).hint(error.hint.clone());
    if error.code.starts_with("PT") {
        wire.reason = Some(error.message.clone());
    }
    if error.code == "42501" && anonymous {
        wire = wire.header(header::WWW_AUTHENTICATE, "Bearer");
    }
    wire
}

#[cfg(test)]
mod tests;
