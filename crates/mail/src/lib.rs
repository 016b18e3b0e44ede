//! Sends mail: a queue in PostgreSQL, a task that drains it over SMTP, and
//! `POST /mail/v1/messages`.
//!
//! A message is put into the queue inside its caller's transaction ([`MailQueue::enqueue`]), so it
//! exists exactly if that transaction was committed. [`drain`] sends it with back-off: once, and
//! after a crash at least once. The crate deliberately does not know the content of mails. Source:
//! product decision D18; local/CONTRACT.md, the mail inbox.

/// A message, checked.
pub mod message;

/// Putting messages into the queue.
pub mod queue;

/// The task that empties the queue.
pub mod drain;

/// Finds abandoned claims.
mod abandoned_claims;

/// One conversation with a mail server.
pub mod smtp;

/// `POST /mail/v1/messages`.
pub mod endpoint;

/// The SQL of the queue.
mod store;

/// Errors, and their wire form.
mod error;

/// An orderly stop, and how its time is spent.
mod shutdown;

pub use drain::drain;
pub use endpoint::{State, handle};
pub use error::MailError;
pub use message::{Attachment, Draft, Message, SingleMessage};
pub use queue::{Enqueued, MailQueue};
pub use shutdown::Shutdown;
pub use smtp::SmtpSettings;
