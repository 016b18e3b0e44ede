//! The table of codes: what the client reads of each error, with its status (CONTRACT.md X01 to
//! X10). An SQLSTATE gets its status in `sqlstate`, the code of a token in `token`.

use banyan_db::{DatabaseError, RunError};
use http::{HeaderName, HeaderValue, StatusCode, header};
use serde::Serialize;
use serde_json::Value;

use super::{Error, excerpt, sqlstate, token};

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
    pub(super) fn new(status: u16, code: &str, message: impl Into<String>) -> Self {
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

    pub(super) fn details(mut self, details: impl Into<Value>) -> Self {
        self.details = details.into();
        self
    }

    pub(super) fn hint(mut self, hint: impl Into<Value>) -> Self {
        self.hint = hint.into();
        self
    }

    pub(super) fn header(mut self, name: HeaderName, value: &str) -> Self {
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
