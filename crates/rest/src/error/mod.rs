//! Every way a request can fail, and what the client reads of it (CONTRACT.md X01 to X10).

use banyan_db::RunError;
use banyan_identity::TokenError;
use http::Method;

/// Code, status and message of each error.
mod codes;

/// Details of some errors, and their messages.
mod details;

/// Refused tokens.
mod token;

/// Status and reason of an error of PostgreSQL.
mod sqlstate;

/// Hints: the name most like the one that was not found.
pub(crate) mod similar;

pub use self::{
    codes::Wire,
    details::{AmbiguousRelationship, BodyFault, NoFunction, NoRelationship, Parse, RangeFault},
};

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

/// Shortens a name or a value of the request for a message: it may have any length.
pub(crate) fn excerpt(name: &str) -> std::borrow::Cow<'_, str> {
    match name.char_indices().nth(LONGEST_EXCERPT) {
        Some((end, _)) => format!("{}…", &name[..end]).into(),
        None => name.into(),
    }
}

/// Characters of a name or a value that a message shows.
const LONGEST_EXCERPT: usize = 200;

#[cfg(test)]
mod tests;
