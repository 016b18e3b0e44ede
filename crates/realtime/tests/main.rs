//! Tests of the realtime service, each on its own database.

/// A service that listens, and clients of it.
#[cfg(test)]
mod support;

/// How a socket is opened, kept and closed.
#[cfg(test)]
mod connections;

/// Joins and leaves.
#[cfg(test)]
mod channels;

/// Tokens of channels.
#[cfg(test)]
mod tokens;

/// Broadcasts of sockets.
#[cfg(test)]
mod broadcasts;

/// What there may be, as a project sets it.
#[cfg(test)]
mod limits;
/// Who is in a topic.
#[cfg(test)]
mod presence;

/// Several nodes.
#[cfg(test)]
mod cluster;

/// Clients that mean harm.
#[cfg(test)]
mod hostile;

/// The SQL schema, without the service.
#[cfg(test)]
mod schema;

/// Channels by policies of a project.
#[cfg(test)]
mod private_channels;

/// Messages over HTTP.
#[cfg(test)]
mod broadcast_over_http;
