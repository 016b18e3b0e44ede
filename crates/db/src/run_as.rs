//! One flight: role, claims, settings, statement and commit.

use std::{borrow::Cow, fmt::Write as _};

use banyan_identity::Caller;

use crate::{
    Param, Rows, RunError, Statement,
    flight::{Connection, Failure, Flight, Pool},
    sql,
};

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

/// Runs over a pooled connection.
///
/// Two refusals concern the connection and not the caller, and are tried again, each at most once: a plan that a schema
/// change made stale, and a pooled connection that the server had closed.
pub(crate) async fn run_as(pool: &Pool, run: &RunAs<'_>) -> Result<Rows, RunError> {
    let mut lease = pool.acquire().await?;
    match fly(lease.connection(), run).await {
        Err(Failure::Lost { unanswered: true, .. }) if lease.is_reused() => {
            drop(lease);
            let mut fresh = pool.acquire_fresh().await?;
            Ok(fly(fresh.connection(), run).await?)
        }
        Err(Failure::Refused { error, .. }) if is_stale_plan(&error) => {
            lease.connection().prepared.forget_all();
            Ok(fly(lease.connection(), run).await?)
        }
        outcome => Ok(outcome?),
    }
}

/// Whether a prepared statement no longer fits: its result type changed, or somebody deallocated it.
fn is_stale_plan(error: &crate::DatabaseError) -> bool {
    let revalidated = error.routine.as_deref() == Some("RevalidateCachedQuery");
    (error.code == "0A000" && revalidated) || error.code == "26000"
}

async fn fly(connection: &mut Connection, run: &RunAs<'_>) -> Result<Rows, Failure> {
    let (flight, wanted) = load(connection, run).map_err(|cause| Failure::Unsent { cause })?;
    flight.fly(wanted).await
}

/// Puts a run's statements on a flight; gives the place of the one whose rows are wanted.
fn load<'c>(connection: &'c mut Connection, run: &RunAs<'_>) -> Result<(Flight<'c>, usize), RunError> {
    let mut flight = Flight::new(connection);
    let explicit = run.isolation.is_some() || run.rollback;
    let mut wanted = 1;
    if explicit {
        flight.step("", begin(run.isolation), std::iter::empty())?;
        wanted += 1;
    }
    flight.step("", &circumstances(run.settings.len(), run.read_only), circumstance_values(run))?;
    if let Some(function) = run.pre_request {
        let call = format!("select {}()", sql::qualified(function));
        flight.step(run.caller.role(), &call, std::iter::empty())?;
        wanted += 1;
    }
    let values = run.statement.params.iter().map(|Param { value, type_oid }| (value.as_deref(), *type_oid));
    flight.step(run.caller.role(), &run.statement.text, values)?;
    if run.rollback {
        // Deferred constraints still have their say.
        flight.step("", "set constraints all immediate", std::iter::empty())?;
    }
    if explicit {
        flight.step("", if run.rollback { "rollback" } else { "commit" }, std::iter::empty())?;
    }
    Ok((flight, wanted))
}

fn begin(isolation: Option<Isolation>) -> &'static str {
    match isolation {
        None => "begin",
        Some(Isolation::RepeatableRead) => "begin isolation level repeatable read",
        Some(Isolation::Serializable) => "begin isolation level serializable",
    }
}

/// The first statement of a flight: role, claims, `count` further settings, all local to the transaction.
///
/// Names and values are parameters, so its text depends on their number alone. The role comes last, so that settings
/// which the login role was granted can still be set.
fn circumstances(count: usize, read_only: bool) -> String {
    let mut text = String::with_capacity(96 + 28 * count);
    text.push_str("select set_config('request.jwt.claims',$2,true)");
    for setting in 0..count {
        let name = 3 + 2 * setting;
        write!(text, ",set_config(${name},${},true)", name + 1).expect("a String takes everything");
    }
    text.push_str(",set_config('role',$1,true)");
    if read_only {
        text.push_str(",set_config('transaction_read_only','on',true)");
    }
    text
}

/// OID of type `text`.
const TEXT: u32 = 25;

fn circumstance_values<'a>(run: &'a RunAs<'a>) -> impl Iterator<Item = (Option<&'a [u8]>, u32)> + Clone {
    let settings = run.settings.iter().flat_map(|(name, value)| [*name, &**value]);
    [run.caller.role(), run.caller.claims().json()]
        .into_iter()
        .chain(settings)
        .map(|value| (Some(value.as_bytes()), TEXT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_statement_depends_on_the_number_of_settings_alone() {
        assert_eq!(
            circumstances(2, true),
            "select set_config('request.jwt.claims',$2,true),set_config($3,$4,true),set_config($5,$6,true)\
             ,set_config('role',$1,true),set_config('transaction_read_only','on',true)"
        );
    }
}
