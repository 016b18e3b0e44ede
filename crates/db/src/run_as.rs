//! One flight: role, claims, settings, statement and commit.

use std::borrow::Cow;

use banyan_identity::Caller;

use crate::Statement;

/// A statement to run as a caller, and the circumstances PostgreSQL is told (decisions P08).
///
/// All settings hold for this one transaction; nothing of them is left on the connection afterwards.
#[derive(Debug, Clone, Copy)]
pub struct RunAs<'a> {
    /// Whose role and claims apply.
    pub caller: &'a Caller,
    /// Settings of the transaction, in order: `request.method`, `request.headers`, `search_path`, `statement_timeout`, ….
    pub settings: &'a [(&'a str, Cow<'a, str>)],
    /// Whether writing is refused (SQLSTATE 25006).
    pub read_only: bool,
    /// A function without arguments to call first, `schema.name` or `name`; quoted here.
    pub pre_request: Option<&'a str>,
    /// An isolation level other than the server's default; takes an explicit transaction.
    pub isolation: Option<Isolation>,
    /// Whether to roll back at the end (`Prefer: tx=rollback`); takes an explicit transaction.
    pub rollback: bool,
    /// The statement.
    pub statement: &'a Statement,
}

impl<'a> RunAs<'a> {
    /// A writing statement with no further circumstances.
    #[must_use]
    pub fn new(caller: &'a Caller, statement: &'a Statement) -> Self {
        Self {
            caller,
            settings: &[],
            read_only: false,
            pre_request: None,
            isolation: None,
            rollback: false,
            statement,
        }
    }
}

/// Isolation levels that differ from PostgreSQL's default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isolation {
    /// `repeatable read`.
    RepeatableRead,
    /// `serializable`.
    Serializable,
}
