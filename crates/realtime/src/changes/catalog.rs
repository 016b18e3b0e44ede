//! What the catalogue says of a table and of a role's rights on it.

use std::collections::HashSet;

use banyan_db::{Database, Login, Param, RunError, Statement};
use bytes::Bytes;
use serde::{Deserialize, de::DeserializeOwned};

/// A table as a role may see it.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Rights {
    /// Whether the table has row-level security.
    pub(super) row_security: bool,
    /// Whether it holds for the role.
    pub(super) is_subject: bool,
    /// Whether the role may read the whole table, system columns included.
    pub(super) reads_table: bool,
    /// Columns of the primary key; none where there is none.
    pub(super) key: Vec<String>,
    /// How many columns there are.
    pub(super) columns: usize,
    /// Columns that the role may read; none in a schema that it may not use.
    pub(super) readable: HashSet<String>,
    /// Policies for reading that hold for the role.
    pub(super) policies: Vec<Policy>,
}

/// A policy for reading.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Policy {
    pub(super) is_permissive: bool,
    /// Its condition as SQL, with every name qualified.
    pub(super) condition: String,
}

const SQL: &str = include_str!("catalog.sql");
/// Names outside of `pg_catalog` are spelled with their schema.
const QUALIFY: &str = "select pg_catalog.set_config('search_path', '', true)";

impl Rights {
    /// Reads them; none where table or role are gone.
    pub(super) async fn read(database: &Database, table: u32, role: &str) -> Result<Option<Self>, RunError> {
        let params = vec![Param::text(table.to_string()), Param::text(role.to_owned())];
        let rows = qualified(database, Statement::new(SQL, params)).await?;
        parse(rows.get(0, 0))
    }

    /// Whether the role may read every column of the key (CONTRACT.md G16).
    pub(super) fn reads_key(&self) -> bool {
        self.key.iter().all(|column| self.readable.contains(column))
    }
}

/// Reads from the catalogue, with qualified names.
pub(super) async fn qualified(
    database: &Database,
    statement: Statement,
) -> Result<banyan_db::Rows, RunError> {
    let qualify = Statement::new(QUALIFY, vec![]);
    database.own(Login::RealtimeAdmin).write(&qualify, &[statement]).await
}

/// Parses JSON that a statement of ours built.
pub(super) fn parse<T: DeserializeOwned>(json: Option<&Bytes>) -> Result<Option<T>, RunError> {
    let parsed = json.map(|json| serde_json::from_slice(json)).transpose();
    parsed.map_err(|error| RunError::Protocol(error.to_string()))
}
