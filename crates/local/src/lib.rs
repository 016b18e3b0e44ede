//! Stands in for Docker on one machine: PostgreSQL as a child process, a mail inbox, log files that stay small.
//!
//! Speaks no SQL and knows no service: it hands out a running server's socket, port and passwords.
//! `CONTRACT.md` lists what it promises.

/// PostgreSQL: its programs, its data, its process.
pub mod postgres;

/// Mail in by SMTP, out by a page and Mailpit's API.
pub mod inbox;

/// Who holds a TCP port of this machine.
pub mod ports;

/// Log files that stay small.
pub mod logs;

/// What can go wrong on the machine.
mod error;

pub use error::LocalError;
pub use inbox::Inbox;
pub use postgres::{Install, Passwords, PostgresServer, PostgresSettings, Purpose, Step};
