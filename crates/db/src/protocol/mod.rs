//! Connections of our own, spoken to in PostgreSQL's protocol.
//!
//! Generic drivers wait for an answer between `begin`, statement and `commit`. Here everything a
//! request needs leaves in one write and comes back before one `ReadyForQuery`: a pipeline. Bytes
//! of results are cut out of the receive buffer.

/// Pipelines run: on a shared connection or on one of their own, and again where that is safe.
pub(crate) mod dispatch;

/// A large column, streamed while it arrives.
pub(crate) mod large;

/// A bounded number of connections; who waited longest is served first.
pub(crate) mod pool;

/// Which shared connection a short read takes.
mod shared_connections;

/// A connection that several short reads share.
mod shared_connection;

/// One pipeline on a connection of its own.
pub(crate) mod pipeline;

/// How long statements took that ran before, and how much they returned.
pub(crate) mod statement_stats;

/// Whether a large last column may be streamed.
mod streaming;

/// What is read of the answers to a pipeline.
mod response_reader;

/// A pipeline as it is written.
pub(crate) mod pipeline_writer;

/// Opening a connection: address, encryption, login.
pub(crate) mod connect;

/// Errors as the server spells them.
pub(crate) mod error_response;

/// One connection: messages out, messages in.
pub(crate) mod connection;

/// Which statements a connection has prepared.
mod prepared;

/// Unix socket, TCP, or TLS over TCP.
mod stream;

/// Who the server is allowed to be.
mod tls;

pub(crate) use connect::Connector;
pub(crate) use connection::Connection;
pub(crate) use pipeline::{Failure, Pipeline};
pub(crate) use pipeline_writer::PipelineWriter;
pub(crate) use pool::Pool;
