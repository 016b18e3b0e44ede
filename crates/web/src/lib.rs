//! What every service needs of HTTP. It knows none of the services: what an error says to a client
//! is decided by the service that sends it.

/// The body of all requests and answers.
mod body;

/// Reading a body whole, up to a size.
mod limited;

/// Answers in JSON.
mod json;

/// Text in HTML.
mod html;

/// Parameters of a query.
mod query;

/// The header `Host`.
mod host_header;

/// Clients with pooled connections, by TLS where the address asks for it.
pub mod tls_client;

pub use body::{Body, BoxError, empty, full};
pub use host_header::host_fault;
pub use html::escape_html;
pub use json::json_response;
pub use limited::{BodyError, read_body};
pub use query::query_parameter;
