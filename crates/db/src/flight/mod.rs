//! Connections of our own, spoken to in PostgreSQL's protocol.
//!
//! Generic drivers wait for an answer between `begin`, statement and `commit`. Here everything a request needs leaves in
//! one write and comes back before one `ReadyForQuery`, and result bytes are cut out of the receive buffer.

/// Opening a connection: address, encryption, login.
pub(crate) mod connect;

/// One connection: messages out, messages in.
pub(crate) mod connection;

/// A flight as it is written.
pub(crate) mod manifest;

/// What comes back of a flight.
mod landing;

/// One flight on a connection of its own.
pub(crate) mod pipeline;

/// A connection that several short reads share.
pub(crate) mod lane;

/// Which of them a short read takes.
pub(crate) mod lanes;

/// What is known of statements that ran before.
pub(crate) mod habit;

/// A large column, while it arrives.
pub(crate) mod large;

/// Which statements a connection has prepared.
mod prepared;

/// Connections shared fairly.
pub(crate) mod pool;

/// Unix socket, TCP, or TLS over TCP.
mod stream;

/// Who the server is allowed to be.
mod tls;

/// Errors as the server spells them.
pub(crate) mod wire_error;

pub(crate) use connect::Connector;
pub(crate) use connection::Connection;
pub(crate) use manifest::Manifest;
pub(crate) use pipeline::{Arrival, Failure, Flight, HandOn};
pub(crate) use pool::Pool;
