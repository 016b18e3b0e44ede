//! The service against a real PostgreSQL: each test on a database of its own, named with the row of rest.md it shows.

mod support;

/// Paths and methods.
mod paths;

/// What is selected.
mod selecting;

/// Filters and order.
mod filtering;

/// Which relationships exist.
mod relationships;

/// Embedded relations.
mod embedding;

/// Aggregates.
mod aggregating;

/// Schemas.
mod profiles;

/// The SQL that reads come down to, and how PostgreSQL plans it.
mod statements;

/// Ranges and counts.
mod paging;

/// Insert, update, delete, upsert.
mod writing;

/// Functions.
mod calling;

/// Errors, tokens, media types, settings.
mod answering;

/// Row-level security as the wrong user.
mod policies;

/// The schema follows the database.
mod schema;

/// SQL and the shapes of requests.
mod shapes;

/// The list of the contract's rows.
mod contract;

/// Options that the database says.
mod configuration;
