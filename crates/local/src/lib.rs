//! Stands in for Docker on one machine: PostgreSQL as a child process, a mail inbox, log files that
//! stay small.
//!
//! Speaks no SQL and knows no service: it hands out a running server's socket, port and passwords.
//! `CONTRACT.md` lists what it promises.

/// PostgreSQL: its programs, its data, its process.
pub mod postgres;

/// Mail in by SMTP, out by a page and Mailpit's API.
pub mod inbox;

/// Finds the process that holds a TCP port of this machine.
pub mod ports;

/// Log files that stay small.
pub mod logs;

/// Errors on this machine.
mod error;

pub use error::{Holder, LocalError};
pub use inbox::Inbox;
pub use postgres::{Install, Passwords, PostgresServer, PostgresSettings, Purpose, Step};
