//! Entries against the database: which tables they mean, and whether their columns and values are
//! right (CONTRACT.md G4, G6, G8).

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use banyan_db::{Database, DatabaseError, Param, RunAs, RunError, Statement};
use banyan_identity::Caller;
use bytes::Bytes;
use serde::Deserialize;

use super::{
    arrays::{self, Part, literal},
    catalog,
    conditions::Condition,
    entry::{Entry, Filter, Operator},
    questions::SEARCH_PATH,
    table::TableEntry,
    types::{Type, Types},
};

/// Most values of a list.
const MOST_VALUES: usize = 100;

/// Why a channel is not subscribed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SubscribeError {
    /// What it asks for is wrong; the client is told this.
    Wrong(String),
    /// The database could not be asked; it is asked again.
    Failed(String),
}

/// What an entry means: tables by OID.
pub(super) type Resolved = Vec<(u32, TableEntry)>;

const SQL: &str = include_str!("resolve.sql");

/// The answer to [`SQL`].
#[derive(Deserialize)]
struct Found {
    has_role: bool,
    tables: Vec<FoundTable>,
}

#[derive(Deserialize)]
struct FoundTable {
    oid: u32,
    columns: HashMap<String, FoundColumn>,
}

#[derive(Deserialize)]
struct FoundColumn {
    type_oid: u32,
    type_name: String,
    /// Those of patterns that the type has.
    operators: Vec<String>,
}

/// Looks up what an entry means for a role.
pub(super) async fn resolve(
    database: &Database,
    types: &tokio::sync::Mutex<Types>,
    entry: &Entry,
    role: &str,
) -> Result<Resolved, SubscribeError> {
    let resolver = Resolver { database, types, entry };
    let found = resolver.find(role).await.map_err(failed)?;
    if !found.has_role {
        return Err(entry.exception(&raised(&format!("role \"{role}\" does not exist"))));
    }
    if found.tables.is_empty() {
        return Err(SubscribeError::Wrong(format!(
            "Unable to subscribe to changes with given parameters. Please check Realtime is enabled for the \
             given connect parameters: [{}]",
            entry.describe()
        )));
    }
    let mut resolved = Vec::with_capacity(found.tables.len());
    for table in found.tables {
        resolved.push((table.oid, resolver.table_entry(&table).await?));
    }
    Ok(resolved)
}

fn failed(error: RunError) -> SubscribeError {
    SubscribeError::Failed(format!("{{:error, {:?}}}", error.to_string()))
}

/// The spelling of an error that the stack raises.
fn raised(message: &str) -> String {
    format!("ERROR P0001 (raise_exception) {message}")
}

/// The spelling of an error of PostgreSQL.
fn said(error: &DatabaseError) -> String {
    let name = match error.code.as_str() {
        "22P02" => "invalid_text_representation",
        "22003" => "numeric_value_out_of_range",
        "22007" => "invalid_datetime_format",
        "22008" => "datetime_field_overflow",
        "42501" => "insufficient_privilege",
        _ => return format!("{} {} {}", error.severity, error.code, error.message),
    };
    format!("{} {} ({name}) {}", error.severity, error.code, error.message)
}

impl Entry {
    fn exception(&self, error: &str) -> SubscribeError {
        SubscribeError::Wrong(format!(
            "Unable to subscribe to changes with given parameters. An exception happened so please check your \
             connect parameters: [{}]. Exception: {error}",
            self.describe()
        ))
    }
}

struct Resolver<'e> {
    database: &'e Database,
    types: &'e tokio::sync::Mutex<Types>,
    entry: &'e Entry,
}

impl Resolver<'_> {
    async fn find(&self, role: &str) -> Result<Found, RunError> {
        let filtered = self.entry.filters.iter().map(|filter| &filter.column);
        let columns: BTreeSet<&String> = filtered.chain(self.entry.select.iter().flatten()).collect();
        let params = [
            self.entry.schema.clone().into_bytes(),
            self.entry.table.clone().into_bytes(),
            role.as_bytes().to_vec(),
            literal(columns.into_iter().map(Some)),
        ];
        let statement = Statement::new(SQL, params.map(Param::text).to_vec());
        let rows = catalog::qualified(self.database, statement).await?;
        catalog::parse(rows.get(0, 0))?.ok_or_else(|| RunError::Protocol("no answer".into()))
    }

    async fn table_entry(&self, table: &FoundTable) -> Result<TableEntry, SubscribeError> {
        let wrong = |message: String| self.entry.exception(&raised(&message));
        let mut conditions = Vec::with_capacity(self.entry.filters.len());
        for filter in &self.entry.filters {
            let column = table.columns.get(&filter.column);
            let column =
                column.ok_or_else(|| wrong(format!("invalid column for filter {}", filter.column)))?;
            check(filter, column).map_err(wrong)?;
            conditions.push(self.condition(filter, column).await?);
        }
        for name in self.entry.select.iter().flatten() {
            if !table.columns.contains_key(name) {
                return Err(wrong(format!("invalid column for select {name}")));
            }
        }
        let select = self.entry.select.as_ref().map(|names| Arc::new(names.iter().cloned().collect()));
        Ok(TableEntry { id: self.entry.id, event: self.entry.event, conditions, select })
    }

    async fn condition(&self, filter: &Filter, column: &FoundColumn) -> Result<Condition, SubscribeError> {
        let found = self.types.lock().await.of(self.database, &[column.type_oid]).await.map_err(failed)?;
        let of = &found[0];
        let value = match filter.operator {
            Operator::Is => Bytes::copy_from_slice(filter.value.as_bytes()),
            _ => self.cast(filter, of).await?,
        };
        Ok(Condition::new(filter, of, value))
    }

    /// The value as PostgreSQL spells it.
    async fn cast(&self, filter: &Filter, of: &Type) -> Result<Bytes, SubscribeError> {
        let list = if filter.operator == Operator::In { "[]" } else { "" };
        let cast = format!("$1::text::{}{list}::text", of.qualified);
        let is_pattern = matches!(filter.operator, Operator::Match | Operator::Imatch);
        let text =
            if is_pattern { format!("select {cast}, '' ~ $1::text") } else { format!("select {cast}") };
        let statement = Statement::new(text, vec![Param::text(filter.value.clone())]);
        let caller = Caller::service();
        let run = RunAs { read_only: true, settings: &SEARCH_PATH, ..RunAs::new(&caller, &statement) };
        let value = match self.database.run_as(&run).await {
            Ok(rows) => rows.get(0, 0).cloned().unwrap_or_default(),
            Err(RunError::Database(error)) if is_pattern && error.code == "2201B" => {
                let name = filter.operator.name();
                let message = format!("invalid regular expression for {name} filter: {}", error.message);
                return Err(self.entry.exception(&raised(&message)));
            }
            Err(RunError::Database(error)) => return Err(self.entry.exception(&said(&error))),
            Err(error) => return Err(failed(error)),
        };
        if filter.operator == Operator::In && count(&value) > MOST_VALUES {
            let message = format!("too many values for `in` filter. Maximum {MOST_VALUES}");
            return Err(self.entry.exception(&raised(&message)));
        }
        Ok(value)
    }
}

/// Whether an operator fits a column; if not, why.
fn check(filter: &Filter, column: &FoundColumn) -> Result<(), String> {
    let needed = match filter.operator {
        Operator::Is => return check_is(&filter.value, column),
        Operator::Like | Operator::Ilike => "~~",
        Operator::Match => "~",
        Operator::Imatch => "~*",
        _ => return Ok(()),
    };
    if column.operators.iter().any(|operator| operator == needed) {
        return Ok(());
    }
    let name = filter.operator.name();
    Err(format!("operator {name} requires a text-compatible column type, got {}", column.type_name))
}

fn check_is(value: &str, column: &FoundColumn) -> Result<(), String> {
    match value {
        "null" => Ok(()),
        "true" | "false" | "unknown" if column.type_name == "boolean" => Ok(()),
        "true" | "false" | "unknown" => {
            Err(format!("is {value} filter requires a boolean column, got {}", column.type_name))
        }
        _ => Err("invalid value for is filter: must be null, true, false, or unknown".to_owned()),
    }
}

fn count(list: &[u8]) -> usize {
    let mut count = 0;
    let read = arrays::read(list, b',', |part| {
        count += usize::from(matches!(part, Part::Element(_) | Part::Null));
    });
    read.map_or(0, |()| count)
}
