//! Schema changes: the stack's own, and the project's with its seeds.
//!
//! A database is made in this order: [`crate::platform::bootstrap`], [`stack`] for each service,
//! [`apply`], [`seed`]. For `db reset`, [`recreate_server`] comes before, or [`recreate`] on a
//! server that is not ours.

/// An empty database, or a server as new, in place of the old one.
mod recreate;

/// Tables that the project's migrations leave open to everybody.
mod open_tables;

/// The project's seed files.
mod seeds;

/// The project's migration files and their history.
mod project;

/// A file of SQL: one batch, or as few as PostgreSQL allows.
pub(crate) mod batch;

/// How far files came that could not be one transaction.
mod unfinished;

/// What to say when a statement of a file fails.
pub(crate) mod report;

/// The text of a file.
mod file;

/// The stack's own schemas.
mod stack;

pub use file::read_sql;
pub use open_tables::open_tables;
pub use project::{LocalFile, LocalFiles, Order, applied, apply, list, pending};
pub use recreate::{create_missing, end_killed, recreate, recreate_server};
pub use seeds::seed;
pub use stack::{Migration, ServiceSchema, stack};

/// What a run tells the person who waits for it. `Display` gives the words of the supabase CLI
/// (cli/CONTRACT.md CLI-MIGRATION-UP, CLI-SEEDS).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// A file is left out, and why.
    Skipping {
        /// Its name.
        file: String,
        /// Why.
        reason: &'static str,
    },
    /// A migration is being applied.
    Applying {
        /// Its name.
        file: String,
    },
    /// An earlier run committed the first statements of a file that could not be one transaction.
    Continuing {
        /// Its name.
        file: String,
        /// The statement that comes next, from 0.
        statement: usize,
    },
    /// The same of one whose first statements were changed since: it runs from its start.
    StartingOver {
        /// Its name.
        file: String,
        /// How many were committed.
        statements: usize,
    },
    /// A seed file is being run.
    Seeding {
        /// Its path, relative to the project.
        path: String,
    },
    /// A seed file was run before with other content: only its hash is renewed.
    UpdatingSeedHash {
        /// Its path, relative to the project.
        path: String,
    },
    /// A pattern of `db.seed.sql_paths` matches no file.
    NoSeedFile {
        /// The pattern.
        pattern: String,
    },
    /// Tables that the API shows, to roles that have grants on them, without row-level security.
    OpenTables {
        /// Their names, with their schemas, quoted where they must be.
        tables: Vec<String>,
    },
    /// It could not be found out whether there are such tables.
    OpenTablesUnknown {
        /// Why.
        reason: String,
    },
}

impl std::fmt::Display for Progress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Skipping { file, reason } => write!(f, "Skipping migration {file}... ({reason})"),
            Self::Applying { file } => write!(f, "Applying migration {file}..."),
            Self::Continuing { file, statement } => {
                write!(
                    f,
                    "Continuing {file} at statement {statement}, since an earlier run committed those before it..."
                )
            }
            Self::StartingOver { file, statements } => {
                write!(f, "WARN: {file} runs from its start: {}", report::changed(*statements))
            }
            Self::Seeding { path } => write!(f, "Seeding data from {path}..."),
            Self::UpdatingSeedHash { path } => write!(f, "Updating seed hash to {path}..."),
            Self::NoSeedFile { pattern } => write!(f, "WARN: no files matched pattern: {pattern}"),
            Self::OpenTablesUnknown { reason } => {
                write!(f, "WARN: it is not known whether tables are open to everybody: {reason}")
            }
            Self::OpenTables { tables } => write!(
                f,
                "WARN: row-level security is off, and anon or authenticated have grants, so the API gives everybody all \
                 rows of: {}. `alter table … enable row level security` closes such a table to everybody whom no \
                 policy admits",
                tables.join(", ")
            ),
        }
    }
}
