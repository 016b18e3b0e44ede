//! The service against a real PostgreSQL: each test on a database of its own, named with the row of
//! CONTRACT.md it shows.

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

/// The school with its studio.
mod studio;

/// Insert.
mod inserting;

/// Upsert, PUT, update, delete.
mod changing;

/// Functions.
mod calling;

/// Which function, with what, under which circumstances.
mod functions;

/// Media types, handlers, domains, plans.
mod representing;

/// Preferences, and what functions say about the answer.
mod preferring;

/// Errors, by code.
mod failing;

/// The root document.
mod documenting;

/// OPTIONS and the headers of every answer.
mod headers;

/// What must not happen.
mod guarding;

/// What the official client sends.
mod client;

/// Errors, tokens, media types, settings.
mod answering;

/// Servers that die, readers that crawl, requests out of all proportion.
mod endurance;

/// Row-level security as the wrong user.
mod policies;

/// The schema follows the database.
mod schema;

/// SQL and the shapes of requests.
mod shapes;

/// Options that the database says.
mod configuration;

/// A standby and its primary.
mod replica;
