//! What can go wrong between the stack and PostgreSQL.

use std::{sync::Arc, time::Duration};

/// Why a [`crate::Database`] could not be made from its settings.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The URL is no `postgresql://` URL, or a parameter in it is unknown or wrong. The URL itself
    /// is not shown.
    #[error("the database URL is not usable: {0}")]
    Url(String),
    /// The certificate file of `sslrootcert` could not be used.
    #[error("the root certificate {path} is not usable: {message}")]
    RootCertificate {
        /// The file.
        path: std::path::PathBuf,
        /// What is wrong with it.
        message: String,
    },
}

/// Why [`crate::Database::run_as`] returned no rows. Nothing was committed, unless
/// [`RunError::may_have_committed`] says otherwise.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// PostgreSQL refused; the transaction was rolled back.
    #[error(transparent)]
    Database(Box<DatabaseError>),
    /// The server went away (rest/CONTRACT.md PGRST001). When it went away after the statement had
    /// been sent, a write may or may not have been committed.
    #[error("the database is unavailable: {0}")]
    Unavailable(#[source] Arc<std::io::Error>),
    /// No server could be reached, or none is as it is wanted; nothing was sent
    /// (rest/CONTRACT.md PGRST000).
    #[error("the database cannot be reached: {0}")]
    Unreachable(#[source] Arc<std::io::Error>),
    /// PostgreSQL refused the login of the stack's own role.
    #[error("the database refused the login: {0}")]
    Login(#[source] Box<DatabaseError>),
    /// No connection became free in time (rest/CONTRACT.md PGRST003).
    #[error("no connection became free within {0:?}")]
    PoolTimeout(Duration),
    /// The result is larger than the settings allow.
    #[error("the result is larger than {limit} bytes")]
    TooLarge {
        /// The bound, in bytes.
        limit: usize,
    },
    /// The statement cannot be put in PostgreSQL's protocol: a NUL byte in its text, more than
    /// 65,535 parameters, or a message above 1 GiB.
    #[error("the statement cannot be sent: {0}")]
    Unsendable(String),
    /// The server's answer does not follow the protocol.
    #[error("the database answered out of order: {0}")]
    Protocol(String),
}

impl RunError {
    /// The pool is closed.
    pub(crate) fn closed() -> Self {
        std::io::Error::from(std::io::ErrorKind::NotConnected).into()
    }

    /// SQLSTATE, when PostgreSQL gave one.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        match self {
            Self::Database(error) | Self::Login(error) => Some(&error.code),
            Self::Unavailable(_)
            | Self::Unreachable(_)
            | Self::PoolTimeout(_)
            | Self::TooLarge { .. }
            | Self::Unsendable(_)
            | Self::Protocol(_) => None,
        }
    }

    /// Whether a lock was held by others for too long (SQLSTATE 55P03). Nothing was committed.
    #[must_use]
    pub fn is_lock_timeout(&self) -> bool {
        matches!(self, Self::Database(error) if error.code == "55P03")
    }

    /// Whether a write may have been committed all the same, because its answer was not heard or
    /// not understood.
    #[must_use]
    pub fn may_have_committed(&self) -> bool {
        match self {
            Self::Unavailable(_) | Self::TooLarge { .. } | Self::Protocol(_) => true,
            Self::Database(_)
            | Self::Unreachable(_)
            | Self::Login(_)
            | Self::PoolTimeout(_)
            | Self::Unsendable(_) => false,
        }
    }
}

impl From<DatabaseError> for RunError {
    fn from(error: DatabaseError) -> Self {
        Self::Database(Box::new(error))
    }
}

impl From<std::io::Error> for RunError {
    fn from(error: std::io::Error) -> Self {
        Self::Unavailable(Arc::new(error))
    }
}

/// An error as PostgreSQL reports it.
///
/// `Display` gives severity, message and code; detail and hint may hold row contents and are for
/// whom they concern.
#[derive(Debug, Clone, PartialEq, Eq, Default, thiserror::Error)]
#[error("{severity}: {message} (SQLSTATE {code})")]
pub struct DatabaseError {
    /// `ERROR`, `FATAL` or `PANIC`, never translated.
    pub severity: String,
    /// SQLSTATE, five characters.
    pub code: String,
    /// What is wrong, one line.
    pub message: String,
    /// More about it.
    pub detail: Option<String>,
    /// What to do about it.
    pub hint: Option<String>,
    /// Place in the statement's text, in characters from 1.
    pub position: Option<u32>,
    /// Call stack of the error inside PL/pgSQL and the like.
    pub context: Option<String>,
    /// Schema concerned.
    pub schema: Option<String>,
    /// Table concerned.
    pub table: Option<String>,
    /// Column concerned.
    pub column: Option<String>,
    /// Data type concerned.
    pub data_type: Option<String>,
    /// Constraint violated.
    pub constraint: Option<String>,
    /// Function of the server's source that raised the error.
    pub routine: Option<String>,
}

impl DatabaseError {
    /// Whether the server ends the session. SQL of a project may raise the same code as an `ERROR`.
    pub(crate) fn ends_session(&self) -> bool {
        self.severity == "FATAL" && self.code.starts_with("57P")
    }

    /// Whether a prepared statement no longer fits: its result type changed, or the server no
    /// longer knows it.
    pub(crate) fn is_stale_plan(&self) -> bool {
        let revalidated = self.routine.as_deref() == Some("RevalidateCachedQuery");
        (self.code == "0A000" && revalidated) || self.code == "26000"
    }
}

/// Why a bootstrap, a migration, a seed or a reset failed.
#[derive(Debug, thiserror::Error)]
pub enum MigrationError {
    /// The server speaks a version older than 15.
    #[error("PostgreSQL {0} is too old: version 15 or newer is needed")]
    ServerTooOld(String),
    /// The login that bootstraps must be a superuser, since event triggers need one.
    #[error("the database user \"{0}\" is no superuser, which the first start of the stack needs")]
    NotSuperuser(String),
    /// Another session holds a lock that a start needs, and did not let go of it.
    #[error(
        "session {pid} of {user} ({application}) holds a lock that a start needs; it is {state}, and its last \
         statement is: {query}\n\
         End that transaction, or run `select pg_terminate_backend({pid})`"
    )]
    Held {
        /// The process of the server that serves the session.
        pid: i32,
        /// The role that logged in.
        user: String,
        /// What the session calls itself.
        application: String,
        /// What it does, as PostgreSQL has it, such as `idle in transaction`.
        state: String,
        /// Its last statement, as far as 200 characters go. One that may hold a secret, such as
        /// `alter role … password`, is not shown.
        query: String,
    },
    /// A stack migration that was applied has other text now.
    #[error("migration {version} of \"{service}\" was changed after it had been applied")]
    Changed {
        /// The service it belongs to.
        service: String,
        /// Its version.
        version: i64,
    },
    /// Local files are older than the newest applied one (cli/CONTRACT.md CLI-ORDER).
    #[error(
        "Found local migration files to be inserted before the last migration on remote database.\n\n\
         Rerun the command with --include-all flag to apply these migrations:\n{}",
        files.join("\n")
    )]
    OutOfOrder {
        /// The files.
        files: Vec<String>,
    },
    /// Applied versions have no file (cli/CONTRACT.md CLI-ORDER).
    #[error(
        "Remote migration versions not found in local migrations directory.\n\n\
         Restore the files of these versions, or repair the history:\n{}",
        versions.join("\n")
    )]
    MissingLocal {
        /// The versions.
        versions: Vec<String>,
    },
    /// A statement of a file failed.
    #[error("{file}:{line}: {report}")]
    Statement {
        /// The file.
        file: String,
        /// The line of the file, from 1.
        line: usize,
        /// The error in the words of cli/CONTRACT.md CLI-ERROR: message, detail, `At statement: n`,
        /// the statement with a caret.
        report: String,
        /// What PostgreSQL said.
        #[source]
        source: Box<DatabaseError>,
    },
    /// A statement of a file cannot be run, which is told before any is.
    #[error("{file}:{line}: {reason}\nAt statement: {statement}")]
    Refused {
        /// The file.
        file: String,
        /// The line of the file, from 1.
        line: usize,
        /// Which statement, from 0.
        statement: usize,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The conversation broke off while a file ran.
    #[error("{file}:{line}: {source}\nAt statement: {statement}, or behind it")]
    Broken {
        /// The file.
        file: String,
        /// The line of that statement, from 1.
        line: usize,
        /// The first statement whose end was not heard of, from 0.
        statement: usize,
        /// Why.
        #[source]
        source: RunError,
    },
    /// A file could not be read.
    #[error("{path}: {source}")]
    Read {
        /// The file or folder.
        path: std::path::PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The server could not be reached, or the conversation broke off.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A statement of the stack's own failed.
    #[error(transparent)]
    Sql(#[from] sqlx::Error),
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn a_write_of_which_nothing_was_heard_may_have_been_committed() {
        let gone = || Arc::new(io::Error::other("gone"));
        for error in [
            RunError::Database(Box::default()),
            RunError::Login(Box::default()),
            RunError::Unreachable(gone()),
            RunError::PoolTimeout(Duration::from_secs(1)),
            RunError::Unsendable("a NUL".into()),
        ] {
            assert!(!error.may_have_committed(), "{error}");
        }
        for error in [
            RunError::Unavailable(gone()),
            RunError::Protocol("no answer".into()),
            RunError::TooLarge { limit: 1 },
        ] {
            assert!(error.may_have_committed(), "{error}");
        }
    }
}
