//! What the door to PostgreSQL promises, against a real server.

/// `run_as`: who, what, and what comes back.
mod run_as;

/// Refusals and losses.
mod failures;

/// Connections: shared, bounded, encrypted, cancelled.
mod connections;

/// Short reads on shared connections.
mod sharing;

/// Large results.
mod large;

/// A request costs one exchange.
mod one_exchange;

/// Roles, schemas and grants.
mod platform;

/// Schema changes and seeds.
mod migrations;

/// Files of SQL: how they are cut and run.
mod files;

/// Statements that a person types.
mod scripts;

/// Notifications.
mod listen;

/// Several servers of one database.
mod servers;

/// Work that one node does for all.
mod leases;
